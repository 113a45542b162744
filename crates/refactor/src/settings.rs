//! Datatypes that the preprocessor decides about: judged in every setting, and changed where all
//! of them want the same text.

use std::collections::BTreeSet;

use commloom_program::Project;
use commloom_program::refusal::{Code, Refusal};

use crate::explain::Explanation;
use crate::finding::{Change, Edit, Finding, Reported};

/// Judges calls whose datatype is a macro with several meanings in all settings in which it has
/// one. What is changed then must be changed by the same text in all of them, because the names
/// in it are what each setting makes of them. What is explained is the setting that decides: the
/// first that refuses the call, or the first.
pub(crate) fn decide(
    project: &Project,
    told: &mut [Reported],
    judge: &dyn Fn(&Project) -> Vec<Reported>,
) {
    let asked: Vec<Option<String>> = told.iter().map(|(one, _)| asked(project, one)).collect();
    let names: BTreeSet<String> = asked.iter().flatten().cloned().collect();
    let settings = if names.is_empty() { Vec::new() } else { project.settings(names) };
    let judged: Vec<Vec<Reported>> = settings.iter().map(judge).collect();
    if judged.is_empty() {
        return;
    }
    let names = types(&settings);
    for ((finding, explanation), asked) in told.iter_mut().zip(&asked) {
        if asked.is_none() && finding.outcome.is_err() {
            continue;
        }
        let same = |(other, _): &&Reported| {
            (other.site, &other.function, &other.buffer)
                == (finding.site, &finding.function, &finding.buffer)
        };
        let all: Option<Vec<&Reported>> = judged.iter().map(|one| one.iter().find(same)).collect();
        let Some(all) = all else { continue };
        let refused = all.iter().find(|(one, _)| one.outcome.is_err());
        let Some((first, explained)) = refused.or(all.first()) else { continue };
        let changes: Vec<&Change> =
            all.iter().filter_map(|(one, _)| one.outcome.as_ref().ok()).collect();
        let (outcome, assumed) = (first.outcome.clone(), first.assumed.clone());
        finding.outcome = outcome.and_then(|change| {
            let message = "the branches of '#if' that decide the datatype need different text";
            let refusal = || Refusal::new(Code::Datatype, finding.site, message);
            let edits = agreed(&changes, &names).ok_or_else(refusal)?;
            Ok(Change { edits, ..change })
        });
        finding.assumed = assumed;
        if let Some(explained) = explained {
            *explanation = Some(Explanation { settings: all.len(), ..explained.clone() });
        }
    }
}

/// The edits that are right in all settings: where types have other names in them, by the one
/// that the program has for all of these (the first; the others are its meanings).
fn agreed(changes: &[&Change], names: &[(String, Vec<String>)]) -> Option<Vec<Edit>> {
    let same = |all: &[Vec<Edit>]| all.windows(2).all(|pair| pair[0] == pair[1]);
    let plain: Vec<Vec<Edit>> = changes.iter().map(|change| change.edits.clone()).collect();
    let renamed = |(name, meanings): &(String, Vec<String>)| {
        let new = format!("sizeof({name})");
        let edits = |(edits, meaning): (&Vec<Edit>, &String)| {
            let old = format!("sizeof({meaning})");
            let text = |edit: &Edit| Edit { text: edit.text.replace(&old, &new), ..edit.clone() };
            edits.iter().map(text).collect::<Vec<Edit>>()
        };
        plain.iter().zip(meanings).map(edits).collect::<Vec<_>>()
    };
    let named = names.iter().map(renamed);
    std::iter::once(plain.clone()).chain(named).find(|all| same(all))?.into_iter().next()
}

/// Names of types that have several meanings, with that in each setting.
fn types(settings: &[Project]) -> Vec<(String, Vec<String>)> {
    let all: Vec<Vec<(String, String)>> = settings.iter().map(Project::type_names).collect();
    let meanings = |name: &String| {
        let of = |names: &Vec<(String, String)>| {
            let mut found = names.iter().filter(|(other, _)| other == name);
            found.next().filter(|_| found.next().is_none()).map(|(_, meaning)| meaning.clone())
        };
        let meanings: Vec<String> = all.iter().map(of).collect::<Option<_>>()?;
        let differ = meanings.iter().any(|meaning| Some(meaning) != meanings.first());
        differ.then_some((name.clone(), meanings))
    };
    all.first().into_iter().flatten().filter_map(|(name, _)| meanings(name)).collect()
}

/// The name of the datatype of a call that was refused for it.
fn asked(project: &Project, finding: &Finding) -> Option<String> {
    let refusal = finding.outcome.as_ref().err().filter(|r| r.code == Code::Datatype)?;
    let source = project.source(refusal.span.file).filter(|s| !s.language.is_fortran())?;
    let name = source.text.get(refusal.span.range())?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}
