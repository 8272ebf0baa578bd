//! A map that shares most of its entries with others: cells of one block differ in what their axes
//! choose, and hold only that as their own.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

/// Entries that many maps share, in the order of their keys.
pub type Base<K, V> = Arc<[(K, V)]>;

/// The entries of a base, with others added, replaced or left out. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Overlay<K, V> {
    base: Base<K, V>,
    /// In the order of keys; none where an entry of the base is left out.
    own: Vec<(K, Option<V>)>,
}

impl<K: Ord, V> Overlay<K, V> {
    /// All entries of `base`, and nothing else.
    pub fn over(base: &Base<K, V>) -> Self {
        Self { base: Arc::clone(base), own: Vec::new() }
    }

    /// The value of `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(|known| known.borrow().cmp(key))
    }

    /// The value of the key that `order` finds equal; it says how a key compares with that one.
    pub fn find(&self, order: impl Fn(&K) -> Ordering) -> Option<&V> {
        if let Ok(at) = self.own.binary_search_by(|(key, _)| order(key)) {
            return self.own[at].1.as_ref();
        }
        let at = self.base.binary_search_by(|(key, _)| order(key)).ok()?;
        Some(&self.base[at].1)
    }

    /// Puts `value` in the place of what `key` had.
    pub fn insert(&mut self, key: K, value: V) {
        match self.own.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => self.own[at].1 = Some(value),
            Err(at) => self.own.insert(at, (key, Some(value))),
        }
    }

    /// Leaves `key` out.
    pub fn remove(&mut self, key: K) {
        match self.own.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => self.own[at].1 = None,
            Err(at) => self.own.insert(at, (key, None)),
        }
    }

    /// What differs from the base: keys with their values, none where an entry is left out.
    pub fn own(&self) -> impl Iterator<Item = (&K, Option<&V>)> {
        self.own.iter().map(|(key, value)| (key, value.as_ref()))
    }

    /// Tells bases apart: equal for maps that share one.
    pub fn base_id(&self) -> usize {
        self.base.as_ptr() as usize
    }

    /// Every entry in the order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let (mut base, mut own) = (self.base.iter().peekable(), self.own.iter().peekable());
        std::iter::from_fn(move || {
            loop {
                let order = match (base.peek(), own.peek()) {
                    (None, None) => return None,
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (Some((shared, _)), Some((own, _))) => shared.cmp(own),
                };
                if order == Ordering::Less {
                    return base.next().map(|(key, value)| (key, value));
                }
                if order == Ordering::Equal {
                    base.next();
                }
                if let Some((key, Some(value))) = own.next() {
                    return Some((key, value));
                }
            }
        })
    }
}

/// As of other maps: no such key is a mistake of the code.
impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for Overlay<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is there")
    }
}

impl<K, V> Default for Overlay<K, V> {
    fn default() -> Self {
        Self { base: Arc::new([]), own: Vec::new() }
    }
}

/// A map with a base of its own.
impl<K: Ord, V> FromIterator<(K, V)> for Overlay<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self { base: base(entries), own: Vec::new() }
    }
}

/// A base of these entries; of several with one key the last.
pub fn base<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> Base<K, V> {
    entries.into_iter().collect::<BTreeMap<K, V>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_map_that_a_copy_of_the_base_would_be() {
        let shared = base([("b", 2), ("d", 4), ("f", 6)]);
        let mut map = Overlay::over(&shared);
        let mut copy: BTreeMap<&str, i32> = shared.iter().copied().collect();
        for (key, value) in [("a", 1), ("d", 44), ("g", 7), ("d", 45)] {
            map.insert(key, value);
            copy.insert(key, value);
        }
        for key in ["b", "g", "x"] {
            map.remove(key);
            copy.remove(key);
        }
        for key in ["a", "b", "c", "d", "f", "g", "x"] {
            assert_eq!(map.get(key), copy.get(key), "{key}");
        }
        let entries: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
        assert_eq!(entries, copy.into_iter().collect::<Vec<_>>());
        assert_eq!(map.base_id(), Overlay::over(&shared).base_id());
        assert_eq!(map.own().count(), 5);
    }
}
