//! Web pages in headless Chromium.

use std::path::Path;
use std::process::Command;

/// How often a browser is started for one look.
const ATTEMPTS: usize = 5;

/// The looks of a page, and the text that it sends.
#[derive(Debug)]
pub struct Look {
    /// The messages of the page to its parent: `parent.postMessage("probe ...", "*")`.
    pub told: String,
    /// The screenshot, a PNG file.
    pub picture: Vec<u8>,
}

/// The browser of this machine; `None` where there is none, which is said.
///
/// # Panics
/// If `COMMLOOM_REQUIRE_BROWSER` demands one.
#[must_use]
pub fn browser() -> Option<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there);
    if found.is_none() {
        assert!(
            std::env::var_os("COMMLOOM_REQUIRE_BROWSER").is_none(),
            "there is no Chromium, but COMMLOOM_REQUIRE_BROWSER requires one: apt-get install \
             chromium"
        );
        crate::skipped("there is no Chromium");
    }
    found
}

/// Shows `page.html` of a folder in a frame of this size, in light or dark: a telephone is
/// narrower than the smallest window. On a busy machine the browser can be done before the frame
/// is: then it looks again.
///
/// # Panics
/// If anything is written to the console, or the page never tells anything.
#[must_use]
pub fn look(browser: &str, folder: &Path, (width, height): (u32, u32), dark: bool) -> Look {
    let looks = (0..ATTEMPTS).map(|_| once(browser, folder, (width, height), dark));
    looks.into_iter().find(|look| look.told.contains("probe")).expect("the page tells what it sees")
}

fn once(browser: &str, folder: &Path, (width, height): (u32, u32), dark: bool) -> Look {
    let name = format!("{width}-{}", if dark { "dark" } else { "light" });
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
    let picture =
        std::fs::read(&picture).unwrap_or_else(|error| panic!("no screenshot: {error}\n{log}"));
    Look { told: String::from_utf8_lossy(&output.stdout).into_owned(), picture }
}

fn frame(width: u32, height: u32) -> String {
    format!(
        "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\">\
         <body style=\"margin:0\"><iframe src=\"page.html\" \
         style=\"border:0;width:{width}px;height:{height}px\"></iframe><pre></pre>\
         <script>addEventListener('message', \
         (e) => {{ document.querySelector('pre').textContent = e.data; }});</script></body>"
    )
}

impl Look {
    /// The value of `NAME=VALUE` in what the page tells, up to the next blank.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        let value = self.told.split(&format!(" {name}=")).nth(1);
        let value = value.unwrap_or_else(|| panic!("no {name} in {}", self.told));
        value.split([' ', '<']).next().unwrap_or_default()
    }

    /// The same as a number.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn number(&self, name: &str) -> usize {
        self.value(name).parse().unwrap_or_else(|_| panic!("{name} in {}", self.told))
    }
}
