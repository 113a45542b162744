//! The page in a browser: no script error, charts drawn, no horizontal overflow, light and dark, on a screen and on a
//! telephone. Skipped where there is no Chromium, unless `COMMLOOM_REQUIRE_BROWSER` demands one.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_guideline::report::Report;
use common::{campaign, unfair};
use resvg::tiny_skia::Pixmap;

/// Looks at the page inside the frame and tells what it sees: every folded part is opened before.
const PROBE: &str = r##"<script>
//<![CDATA[
(function () {
  const errors = [];
  window.addEventListener("error", (event) => errors.push(event.message));
  window.addEventListener("load", () => {
    document.querySelectorAll("details").forEach((part) => { part.open = true; });
    requestAnimationFrame(() => {
      const root = document.documentElement;
      const seen = (element) => { const box = element.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
      const count = (selector) => Array.from(document.querySelectorAll(selector)).filter(seen).length;
      const select = document.querySelector("select[name=guideline]");
      select.selectedIndex = 1;
      select.dispatchEvent(new Event("change"));
      const left = document.querySelectorAll("#violated tbody tr:not([hidden])").length;
      document.querySelector("#violated th").click();
      const factors = Array.from(document.querySelectorAll("#violated tbody td.n i"), (i) => Number(i.textContent));
      document.querySelectorAll("details.test").forEach((part, k) => { part.open = k === 0; });
      document.querySelectorAll("figure details").forEach((part) => { part.open = false; });
      parent.postMessage("probe width=" + innerWidth + " overflow=" + (root.scrollWidth - root.clientWidth)
        + " bars=" + count("svg.chart rect") + " cells=" + count("svg.heat rect") + " filtered=" + left
        + " sorted=" + (factors[0] === Math.min(...factors)) + " background=" + getComputedStyle(document.body).backgroundColor
        + " errors=" + errors.join("; ") + " end", "*");
    });
  });
})();
//]]>
</script>"##;

/// How often a browser is started for one look.
const ATTEMPTS: usize = 5;

/// A telephone is narrower than the smallest window: the page is in a frame.
fn frame(width: u32, height: u32) -> String {
    format!(
        "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\"><body style=\"margin:0\"><iframe \
         src=\"page.html\" style=\"border:0;width:{width}px;height:{height}px\"></iframe><pre></pre><script>addEventListener('message', \
         (e) => {{ document.querySelector('pre').textContent = e.data; }});</script></body>"
    )
}

fn browser() -> Option<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there);
    if found.is_none() {
        assert!(
            std::env::var_os("COMMLOOM_REQUIRE_BROWSER").is_none(),
            "there is no Chromium, but COMMLOOM_REQUIRE_BROWSER requires one: apt-get install chromium"
        );
        commloom_testkit::skipped("there is no Chromium");
    }
    found
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guideline-page");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What the probe tells, and the picture.
fn look(browser: &str, folder: &Path, (width, height): (u32, u32), dark: bool) -> (String, Pixmap) {
    let scheme = if dark { "dark" } else { "light" };
    let name = format!("{width}-{scheme}");
    let wrapper = folder.join(format!("{name}.html"));
    std::fs::write(&wrapper, frame(width, height)).expect("a file");
    let picture = folder.join(format!("{name}.png"));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--enable-logging=stderr", "--virtual-time-budget=10000"])
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--user-data-dir={}", folder.join(format!("profile-{name}")).display()))
        .arg(format!("--window-size={},{height}", width.max(600)))
        .arg(format!("--screenshot={}", picture.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", wrapper.display()))
        .output()
        .expect("the browser starts");
    let log = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:?}");
    let bytes =
        std::fs::read(&picture).unwrap_or_else(|error| panic!("no screenshot: {error}\n{log}"));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (shown, Pixmap::decode_png(&bytes).expect("a PNG file"))
}

#[test]
fn a_browser_draws_the_page_on_screens_and_telephones() {
    let Some(browser) = browser() else { return };
    let files = [campaign("MPICH", "4.0.2", 5, unfair), campaign("Open MPI", "4.1.4", 5, unfair)];
    let report = Report::of(&[&files[0], &files[1]]);
    let page = report.html();
    let bars = page.matches("<rect class=\"s").count();
    let cells = page.matches("<rect class=\"f").count();
    let folder = folder();
    let probed = page.replacen("<head>", &format!("<head>{PROBE}"), 1);
    std::fs::write(folder.join("page.html"), probed).expect("a file");
    for (width, height) in [(1280, 2000), (390, 2000)] {
        for dark in [false, true] {
            // On a busy machine the browser can be done before the frame is: then it looks again.
            let (shown, picture) = (0..ATTEMPTS)
                .map(|_| look(browser, &folder, (width, height), dark))
                .find(|(shown, _)| shown.contains("probe width="))
                .expect("the page tells what it sees");
            let of = |name: &str| {
                let value = shown.split(&format!(" {name}=")).nth(1);
                value.unwrap_or_else(|| panic!("no {name} in {shown}")).to_owned()
            };
            let number = |name: &str| -> usize {
                of(name).split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
            };
            assert!(of("errors").starts_with(" end"), "{shown}");
            assert_eq!(number("width"), width as usize);
            assert_eq!(number("overflow"), 0, "{width} pixels");
            assert_eq!([number("bars"), number("cells")], [bars, cells]);
            assert!(number("filtered") > 0 && number("filtered") < report.judgements.len());
            assert!(of("sorted").starts_with("true"), "{shown}");
            let background = if dark { "rgb(20, 24, 29)" } else { "rgb(255, 255, 255)" };
            assert!(of("background").starts_with(background), "{shown}");
            let first = picture.pixels()[0];
            assert_eq!(
                first.red() < 100,
                dark,
                "the page is {}",
                if dark { "dark" } else { "light" }
            );
            let drawn = picture.pixels().iter().filter(|&&pixel| pixel != first).count();
            assert!(drawn * 50 > picture.pixels().len(), "only {drawn} pixels are drawn");
        }
    }
}
