//! Stands where pictures in pixels are left out of the build.

use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NoPng {
    /// Nothing here can draw one.
    #[error("this commloom was built without PNG (`make build` has it); SVG needs nothing")]
    LeftOut,
}

/// There is none.
#[derive(Debug)]
pub enum NoRasterizer {}

impl NoRasterizer {
    /// Says so.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> Result<NoRasterizer, NoPng> {
        Err(NoPng::LeftOut)
    }

    /// Is never called.
    ///
    /// # Errors
    /// Never.
    pub fn png<P>(&self, _: &P) -> Result<Vec<u8>, NoPng> {
        match *self {}
    }
}
