//! The macros that declare parameters.

/// Declares parameters: a struct with serde, defaults, ranges and one sentence a field.
///
/// ```
/// solo_core::params! {
///     /// Waits for a worthwhile load, then drives.
///     pub struct Hold("hold") {
///         /// go when the open load reaches this many full loads
///         theta: f64 = 1.5 => Number { low: 0.0, high: f64::MAX },
///         /// how many routes are planned
///         routes: usize = 3 => Whole { low: 1, high: 9 },
///     }
/// }
/// use solo_core::params::AgentSpec;
/// let hold: Hold = AgentSpec::parse("hold(theta=2)@10ms").unwrap().read().unwrap();
/// assert_eq!(hold, Hold { theta: 2.0, ..Hold::default() });
/// assert_eq!(AgentSpec::from(hold).to_string(), "hold(theta=2)");
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident($agent:literal) {$(
            $(#[doc = $doc:literal])+
            $field:ident: $type:ty = $default:expr => $kind:ident $({$($range:tt)*})? $(($($words:tt)*))?,
        )*}
    ) => {
        $(#[doc = $about])+
        #[allow(unreachable_pub)] // wherever it is declared
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {$(
            $(#[doc = $doc])+
            pub $field: $type,
        )*}

        impl Default for $name {
            fn default() -> Self {
                Self {$($field: $default,)*}
            }
        }

        impl $crate::params::Params for $name {
            const NAME: &'static str = $agent;
            const ABOUT: &'static str = concat!($($about),+).trim_ascii();

            fn fields() -> Vec<$crate::params::Field> {
                vec![$(
                    $crate::params::Field {
                        name: stringify!($field),
                        about: concat!($($doc),+).trim_ascii(),
                        kind: $crate::params::Kind::$kind $({$($range)*})? $(($($words)*))?,
                    },
                )*]
            }

            fn to_map(&self) -> $crate::params::JsonMap {
                #[allow(unused_mut)]
                let mut map = $crate::params::JsonMap::new();
                $(map.insert(
                    stringify!($field).to_string(),
                    $crate::params::ParamValue::to_value(&self.$field),
                );)*
                map
            }

            #[allow(unused_variables)]
            fn set_checked(&mut self, map: &$crate::params::JsonMap) -> Option<()> {
                $(if let Some(value) = map.get(stringify!($field)) {
                    self.$field = $crate::params::ParamValue::from_value(value)?;
                })*
                Some(())
            }
        }

        impl $crate::params::serde::Serialize for $name {
            fn serialize<S: $crate::params::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::params::serde::Serialize::serialize(
                    &$crate::params::Params::to_map(self),
                    serializer,
                )
            }
        }

        impl<'de> $crate::params::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::params::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let map: $crate::params::JsonMap =
                    $crate::params::serde::Deserialize::deserialize(deserializer)?;
                $crate::params::Params::with(Self::default(), $agent, &map)
                    .map_err($crate::params::serde::de::Error::custom)
            }
        }
    };
}

/// Gives an enum words to be typed by, for [`crate::params::Kind::Choice`].
#[macro_export]
macro_rules! words {
    ($name:ident { $($variant:ident: $word:literal),+ $(,)? }) => {
        impl $name {
            /// The words that it is typed by.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::params::ParamValue for $name {
            fn to_value(&self) -> $crate::params::JsonValue {
                match self {
                    $($name::$variant => $word.into(),)+
                }
            }

            fn from_value(value: &$crate::params::JsonValue) -> Option<Self> {
                match value.as_str()? {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
