//! Formulas and types from text.

use super::{Formula, FormulaError, List, Template};

/// A place in a text.
pub struct Parser<'t> {
    text: &'t str,
    at: usize,
}

/// Reads all of `text`.
pub fn whole<'t, R>(
    text: &'t str,
    read: impl FnOnce(&mut Parser<'t>) -> Result<R, FormulaError>,
) -> Result<R, FormulaError> {
    let mut parser = Parser { text, at: 0 };
    let result = read(&mut parser)?;
    parser.space();
    if parser.at < text.len() { Err(parser.expected("the end")) } else { Ok(result) }
}

impl<'t> Parser<'t> {
    pub fn formula(&mut self) -> Result<Formula, FormulaError> {
        self.operations(&['+', '-'], &|p| p.operations(&['*', '/', '%'], &|p| p.factor()))
    }

    /// Operands with signs of one rank between them, from left to right.
    fn operations(
        &mut self,
        signs: &[char],
        operand: &dyn Fn(&mut Self) -> Result<Formula, FormulaError>,
    ) -> Result<Formula, FormulaError> {
        let mut all = operand(self)?;
        while let Some(&sign) = signs.iter().find(|&&sign| self.eat(sign)) {
            all = Formula::Operation(sign, Box::new((all, operand(self)?)));
        }
        Ok(all)
    }

    fn factor(&mut self) -> Result<Formula, FormulaError> {
        if self.eat('(') {
            let inner = self.formula()?;
            self.must(')', ")")?;
            return Ok(inner);
        }
        let start = self.at;
        match self.word() {
            "" => Err(self.expected("a number, a name or (")),
            word if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let number = word.parse();
                number.map(Formula::Number).map_err(|_| {
                    self.at = start;
                    self.expected("a number below 2^63")
                })
            }
            name => Ok(Formula::Name(name.to_owned())),
        }
    }

    fn list(&mut self) -> Result<List, FormulaError> {
        self.entries(&mut |p| {
            let value = p.formula()?;
            let before = p.at;
            if p.word() != "for" {
                p.at = before;
                return Ok((value, None));
            }
            if p.word() != "i" {
                return Err(p.expected("i"));
            }
            p.must('<', "<")?;
            Ok((value, Some(p.formula()?)))
        })
        .map(List)
    }

    fn entries<R>(
        &mut self,
        entry: &mut dyn FnMut(&mut Self) -> Result<R, FormulaError>,
    ) -> Result<Vec<R>, FormulaError> {
        self.must('<', "<")?;
        let mut all = vec![entry(self)?];
        while self.eat(',') {
            all.push(entry(self)?);
        }
        self.must('>', "> or ,")?;
        Ok(all)
    }

    pub fn template(&mut self) -> Result<Template, FormulaError> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.expected("a type"));
        }
        if !self.eat('(') {
            return Ok(Template::Named(name.to_owned()));
        }
        let template = match name {
            "contiguous" => Template::Contiguous(self.argument()?, self.last()?),
            "vector" => Template::Vector(self.three()?, self.last()?),
            "hvector" => Template::Hvector(self.three()?, self.last()?),
            "indexed" => {
                Template::Indexed(self.list_argument()?, self.list_argument()?, self.last()?)
            }
            "indexed_block" => {
                Template::IndexedBlock(self.argument()?, self.list_argument()?, self.last()?)
            }
            "struct" => {
                let (blocks, places) = (self.list_argument()?, self.list_argument()?);
                Template::Struct(blocks, places, self.entries(&mut Parser::template)?)
            }
            "resized" => Template::Resized([self.argument()?, self.argument()?], self.last()?),
            _ => return Err(self.expected("arguments of a constructor")),
        };
        self.must(')', ")")?;
        Ok(template)
    }

    fn three(&mut self) -> Result<[Formula; 3], FormulaError> {
        Ok([self.argument()?, self.argument()?, self.argument()?])
    }

    fn argument(&mut self) -> Result<Formula, FormulaError> {
        let formula = self.formula()?;
        self.must(',', ",")?;
        Ok(formula)
    }

    fn list_argument(&mut self) -> Result<List, FormulaError> {
        let list = self.list()?;
        self.must(',', ",")?;
        Ok(list)
    }

    fn last(&mut self) -> Result<Box<Template>, FormulaError> {
        self.template().map(Box::new)
    }

    /// Letters, digits and underscores, maybe none.
    fn word(&mut self) -> &'t str {
        self.space();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn eat(&mut self, sign: char) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn must(&mut self, sign: char, expected: &'static str) -> Result<(), FormulaError> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn expected(&self, expected: &'static str) -> FormulaError {
        let at = self.text[..self.at].chars().count() + 1;
        FormulaError::Syntax { text: self.text.to_owned(), at, expected }
    }
}
