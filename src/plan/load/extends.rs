//! `extends`: a block begins with the lines of another of its kind; later lines win.

use super::draft::{EngineDraft, EntryDraft, Head, ProfileDraft, ServerDraft, WorkloadDraft};
use super::resolver::Resolver;
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::CompressionSyntax;
use crate::plan::suite::{Layer, SettingName};

/// A block that can extend another.
pub(super) trait Extend: Clone {
    /// How messages call it.
    const WHAT: &'static str;

    /// Its head.
    fn head(&self) -> &Head;

    /// What it is when it begins with the lines of `parent`, whose own parents are worked in.
    fn onto(&self, parent: &Self) -> Self;
}

fn stacked(parent: &Layer, own: &Layer) -> Layer {
    let mut layer = parent.clone();
    for given in &own.givens {
        layer.replace(given.clone());
    }
    layer
}

impl Extend for ServerDraft {
    const WHAT: &'static str = "server";

    fn head(&self) -> &Head {
        &self.head
    }

    fn onto(&self, parent: &Self) -> Self {
        Self {
            head: self.head.clone(),
            source: self.source.clone().or_else(|| parent.source.clone()),
            password_env: self.password_env.clone().or_else(|| parent.password_env.clone()),
            tls_ca: self.tls_ca.clone().or_else(|| parent.tls_ca.clone()),
            defaults_file: self.defaults_file.clone().or_else(|| parent.defaults_file.clone()),
            reuse_data: self.reuse_data || parent.reuse_data,
            layer: stacked(&parent.layer, &self.layer),
        }
    }
}

impl Extend for EngineDraft {
    const WHAT: &'static str = "engine";

    fn head(&self) -> &Head {
        &self.head
    }

    fn onto(&self, parent: &Self) -> Self {
        let storage = self.storage.or(parent.storage);
        let mut inherited = parent.layer.clone();
        // One property: what the block says of it replaces what it inherits.
        if storage.is_some_and(|s| s.compression_syntax == CompressionSyntax::TokudbRowFormat) {
            let pair = ["row_format", "compression"].map(SettingName::setting);
            if pair.iter().any(|name| self.layer.get(name).is_some()) {
                inherited.givens.retain(|given| !pair.contains(&given.name));
            }
        }
        let mut schema = parent.schema.clone();
        schema.add(&self.schema);
        Self {
            head: self.head.clone(),
            storage,
            wrong_storage: self.wrong_storage || parent.wrong_storage,
            layer: stacked(&inherited, &self.layer),
            schema,
        }
    }
}

impl Extend for WorkloadDraft {
    const WHAT: &'static str = "workload";

    fn head(&self) -> &Head {
        &self.head
    }

    fn onto(&self, parent: &Self) -> Self {
        let mut whole = parent.clone();
        whole.add(self);
        Self { head: self.head.clone(), kind: self.kind, ..whole }
    }
}

impl Extend for EntryDraft {
    const WHAT: &'static str = "axis value";

    fn head(&self) -> &Head {
        &self.head
    }

    fn onto(&self, parent: &Self) -> Self {
        Self { head: self.head.clone(), layer: stacked(&parent.layer, &self.layer) }
    }
}

impl Extend for ProfileDraft {
    const WHAT: &'static str = "profile";

    fn head(&self) -> &Head {
        &self.head
    }

    fn onto(&self, parent: &Self) -> Self {
        let mut draft = parent.draft.clone();
        draft.apply(&self.draft);
        Self { head: self.head.clone(), draft }
    }
}

/// Works all `extends` in. A circle, or a name that is none, is reported; such a block keeps its
/// own lines.
pub(super) fn flatten<T: Extend>(blocks: &[T], resolver: &mut Resolver<'_>) -> Vec<T> {
    let mut reported: Vec<usize> = Vec::new();
    (0..blocks.len()).map(|index| whole(blocks, index, resolver, &mut reported)).collect()
}

fn whole<T: Extend>(
    blocks: &[T],
    start: usize,
    resolver: &mut Resolver<'_>,
    reported: &mut Vec<usize>,
) -> T {
    let mut chain = vec![start];
    loop {
        let last = &blocks[chain[chain.len() - 1]];
        let Some(parent) = &last.head().extends else { break };
        let Some(next) = blocks.iter().position(|block| block.head().name == parent.name) else {
            let at = chain[chain.len() - 1];
            if !reported.contains(&at) {
                reported.push(at);
                let names: Vec<&str> = blocks
                    .iter()
                    .map(|block| block.head().name.as_str())
                    .filter(|name| *name != last.head().name)
                    .collect();
                resolver.unknown(T::WHAT, parent, names);
            }
            break;
        };
        if let Some(begin) = chain.iter().position(|&known| known == next) {
            let circle = &chain[begin..];
            if !circle.iter().any(|block| reported.contains(block)) {
                reported.extend(circle);
                resolver.wrong.push(in_a_circle(blocks, circle));
            }
            break;
        }
        chain.push(next);
    }
    let mut block = blocks[chain[chain.len() - 1]].clone();
    for &child in chain.iter().rev().skip(1) {
        block = blocks[child].onto(&block);
    }
    block
}

fn in_a_circle<T: Extend>(blocks: &[T], circle: &[usize]) -> Diagnostic {
    let extends = |index: usize| blocks[index].head().extends.as_ref().expect("it is in a circle");
    let first = extends(circle[0]);
    let mut path: Vec<&str> =
        circle.iter().map(|&index| blocks[index].head().name.as_str()).collect();
    path.push(path[0]);
    let start = Diagnostic::error(
        codes::EXTENDS_CYCLE,
        first.span,
        format!("`extends` goes in a circle: {}", path.join(" -> ")),
    )
    .label("extends a block that comes back here");
    circle[1..].iter().fold(start, |diagnostic, &index| {
        diagnostic
            .also(extends(index).span, format!("`{}` goes on here", blocks[index].head().name))
    })
}
