//! Pictures as PNG, for places that show no SVG.

/// Whether this build can paint.
pub const AVAILABLE: bool = cfg!(feature = "png");

#[cfg(feature = "png")]
pub use painter::Painter;
#[cfg(not(feature = "png"))]
pub use without::Painter;

/// Stands in for the painter in builds without the feature.
#[cfg(not(feature = "png"))]
mod without {
    /// Paints nothing, and says why.
    #[derive(Debug, Default)]
    pub struct Painter;

    impl Painter {
        /// A painter that cannot paint.
        pub fn new() -> Self {
            Self
        }

        /// Says that this build has no PNG.
        pub fn check(&self) -> Result<(), String> {
            Err("this build writes no PNG; build with --features png".to_string())
        }

        /// Says that this build has no PNG.
        pub fn paint(&self, _svg: &str) -> Result<Vec<u8>, String> {
            self.check().map(|()| Vec::new())
        }
    }
}

#[cfg(feature = "png")]
mod painter {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    /// Twice as many dots as the picture has units: sharp on today's screens and in print.
    const SCALE: f32 = 2.0;

    /// Plain fonts, one of which most machines have.
    const PLAIN: [&str; 6] =
        ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Nimbus Sans"];

    /// Paints pictures with the fonts of this machine.
    pub struct Painter {
        options: Options<'static>,
    }

    impl Painter {
        /// Looks for fonts.
        #[allow(clippy::new_without_default)] // it reads the disk: nobody should get one by accident
        pub fn new() -> Self {
            let mut options = Options::default();
            let fonts = options.fontdb_mut();
            fonts.load_system_fonts();
            let there = |family: &str| {
                fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family))
            };
            let plain = PLAIN.into_iter().find(|family| there(family)).map(str::to_string);
            let any = || Some(fonts.faces().next()?.families.first()?.0.clone());
            if let Some(family) = plain.or_else(any) {
                fonts.set_sans_serif_family(family);
            }
            Self { options }
        }

        /// Whether it can paint, or why not.
        pub fn check(&self) -> Result<(), String> {
            match self.options.fontdb.is_empty() {
                true => Err("this machine has no fonts; install one".to_string()),
                false => Ok(()),
            }
        }

        /// A picture as PNG, or why not.
        pub fn paint(&self, svg: &str) -> Result<Vec<u8>, String> {
            self.check()?;
            let tree = Tree::from_str(svg, &self.options).map_err(|error| error.to_string())?;
            let size = tree.size().to_int_size();
            let (width, height) = (size.width() as f32 * SCALE, size.height() as f32 * SCALE);
            let mut dots =
                Pixmap::new(width as u32, height as u32).ok_or("the picture has no size")?;
            resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut dots.as_mut());
            dots.encode_png().map_err(|error| error.to_string())
        }
    }
}
