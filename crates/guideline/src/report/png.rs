//! Pictures in pixels.

use std::sync::Arc;

use resvg::{tiny_skia, usvg};
use thiserror::Error;

use super::Plot;

/// Pixels for each unit of a picture: readable on screens and paper.
const SCALE: f32 = 2.0;

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PngError {
    /// Words need a font.
    #[error("no font is installed, so that pictures in PNG would have no words; SVG needs none")]
    NoFont,
    /// It is no SVG.
    #[error("{name}: {error}")]
    Svg {
        /// Name of the picture.
        name: String,
        /// The parser's error.
        error: usvg::Error,
    },
    /// It has no pixels, or too many.
    #[error("{name}: a picture of {width} x {height} pixels cannot be made")]
    Size {
        /// Name of the picture.
        name: String,
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// The encoder failed.
    #[error("{name}: {reason}")]
    Encoding {
        /// Name of the picture.
        name: String,
        /// The encoder's message.
        reason: String,
    },
}

/// Turns SVG into PNG with the fonts of this machine, which are read once.
#[derive(Debug)]
pub struct Rasterizer {
    options: usvg::Options<'static>,
}

impl Rasterizer {
    /// Reads the fonts of this machine.
    ///
    /// # Errors
    /// There are none.
    pub fn new() -> Result<Rasterizer, PngError> {
        let mut options = usvg::Options::default();
        let fonts = Arc::make_mut(&mut options.fontdb);
        fonts.load_system_fonts();
        // What every text falls back to.
        let Some(family) = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()))
        else {
            return Err(PngError::NoFont);
        };
        let has = |name: &str| fonts.faces().any(|f| f.families.iter().any(|(n, _)| n == name));
        let known = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial"];
        let family = known.into_iter().find(|name| has(name)).map_or(family, str::to_owned);
        fonts.set_sans_serif_family(family.clone());
        options.font_family = family;
        Ok(Rasterizer { options })
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// It is no SVG, or too large.
    pub fn png(&self, plot: &Plot) -> Result<Vec<u8>, PngError> {
        let name = || plot.name.clone();
        let tree = usvg::Tree::from_str(&plot.svg, &self.options)
            .map_err(|error| PngError::Svg { name: name(), error })?;
        let size = tree.size().to_int_size().scale_by(SCALE);
        let (width, height) = size.map_or((0, 0), |size| (size.width(), size.height()));
        let Some(mut pixels) = tiny_skia::Pixmap::new(width, height) else {
            return Err(PngError::Size { name: name(), width, height });
        };
        let scale = tiny_skia::Transform::from_scale(SCALE, SCALE);
        resvg::render(&tree, scale, &mut pixels.as_mut());
        pixels.encode_png().map_err(|e| PngError::Encoding { name: name(), reason: e.to_string() })
    }
}
