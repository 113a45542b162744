//! The parts that all pages of commloom have in common: one file each, well-formed XML too,
//! nothing from elsewhere, light and dark.

/// Colours and text of all pages.
const BASE: &str = include_str!("base.css");

/// A page that stands for itself.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The title of its window, as plain text.
    pub title: &'a str,
    /// Rules besides those that all pages have.
    pub style: &'a str,
    /// Between `<main>` and `</main>`.
    pub body: &'a str,
    /// Runs at the end of the page; empty for none.
    pub script: &'a str,
}

impl Page<'_> {
    /// The file.
    #[must_use]
    pub fn write(&self) -> String {
        let Page { title, style, body, script } = *self;
        let script = match script {
            "" => String::new(),
            script => format!("<script>\n//<![CDATA[\n{script}//]]>\n</script>\n"),
        };
        format!(
            "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" \
             lang=\"en\">\n<head>\n<meta \
             charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\"/>\n<title>{}</title>\n<style>\n{BASE}{style}</style>\n</head>\n\
             <body>\n<main>\n{body}</main>\n{script}</body>\n</html>\n",
            escape(title)
        )
    }
}

/// Text between tags or in an attribute. Characters that XML does not allow become U+FFFD.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ if c.is_control() => out.push('\u{FFFD}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn no_text_can_end_a_tag_or_break_xml() {
        assert_eq!(
            escape("a<b> & \"c\"\u{1}\u{FFFE}\n"),
            "a&lt;b&gt; &amp; &quot;c&quot;\u{FFFD}\u{FFFD}\n"
        );
    }
}
