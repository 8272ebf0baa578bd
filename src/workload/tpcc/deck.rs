//! Which type of transaction comes next: decks of cards (clause 5.2.4.2).

use super::{Mode, TYPES};
use crate::workload::random::{Stream, derive_seed};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cards of each type in the deck that every client has for itself: 45/43/4/4/4 of 100, above
/// the least shares of the standard.
const OWN: [u8; TYPES.len()] = [45, 43, 4, 4, 4];
/// Cards of each type in the deck that tpcc-mysql's threads share.
const SHARED: [u8; TYPES.len()] = [10, 10, 1, 1, 1];
const OWN_CARDS: usize = 100;
const SHARED_CARDS: u64 = 23;

fn fill(cards: &mut [u8], shares: [u8; TYPES.len()]) {
    let types = shares.iter().zip(0u8..).flat_map(|(count, kind)| (0..*count).map(move |_| kind));
    for (card, kind) in cards.iter_mut().zip(types) {
        *card = kind;
    }
}

/// The deck that all clients of a repetition share. It is a count of cards dealt: each client
/// works out the order of the deck that its card belongs to, so nobody waits for a lock.
#[derive(Debug, Default)]
pub(super) struct SharedDeck {
    seed: AtomicU64,
    dealt: AtomicU64,
}

impl SharedDeck {
    /// A new deck for a repetition.
    pub(super) fn begin(&self, seed: u64) {
        self.seed.store(derive_seed(seed, "deck", &[]), Ordering::Relaxed);
        self.dealt.store(0, Ordering::Relaxed);
    }
}

/// A client's way to its next card.
pub(super) enum Hand {
    /// A deck of its own, shuffled again when it is used up.
    Own { cards: [u8; OWN_CARDS], next: usize, stream: Stream },
    /// The deck that all share; the order of the one used last is kept.
    Shared { deck: Arc<SharedDeck>, number: Option<u64>, cards: [u8; SHARED_CARDS as usize] },
}

impl Hand {
    pub(super) fn new(mode: Mode, deck: &Arc<SharedDeck>, stream: Stream) -> Self {
        match mode {
            Mode::Spec => {
                let mut cards = [0; OWN_CARDS];
                fill(&mut cards, OWN);
                Self::Own { cards, next: OWN_CARDS, stream }
            }
            Mode::TpccMysql => Self::Shared {
                deck: Arc::clone(deck),
                number: None,
                cards: [0; SHARED_CARDS as usize],
            },
        }
    }

    /// The next transaction type.
    pub(super) fn draw(&mut self) -> usize {
        match self {
            Self::Own { cards, next, stream } => {
                if *next == cards.len() {
                    stream.shuffle(cards);
                    *next = 0;
                }
                *next += 1;
                usize::from(cards[*next - 1])
            }
            Self::Shared { deck, number, cards } => {
                let card = deck.dealt.fetch_add(1, Ordering::Relaxed);
                let wanted = card / SHARED_CARDS;
                if *number != Some(wanted) {
                    fill(cards, SHARED);
                    Stream::new(deck.seed.load(Ordering::Relaxed), "order", &[wanted])
                        .shuffle(cards);
                    *number = Some(wanted);
                }
                usize::from(cards[(card % SHARED_CARDS) as usize])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(hands: &mut [Hand], draws: usize) -> [u32; 5] {
        let mut counts = [0; 5];
        let clients = hands.len();
        for draw in 0..draws {
            counts[hands[draw % clients].draw()] += 1;
        }
        counts
    }

    fn stream(client: u64) -> Stream {
        Stream::new(1, "hand", &[client])
    }

    #[test]
    fn a_deck_of_ones_own_keeps_the_mix_in_every_hundred() {
        let mut hands = [Hand::new(Mode::Spec, &Arc::default(), stream(0))];
        for _ in 0..5 {
            assert_eq!(counts(&mut hands, 100), [45, 43, 4, 4, 4]);
        }
        let order = |client| {
            let mut hand = Hand::new(Mode::Spec, &Arc::default(), stream(client));
            (0..100).map(|_| hand.draw()).collect::<Vec<_>>()
        };
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn clients_of_the_shared_deck_keep_its_mix_together() {
        let deck = Arc::new(SharedDeck::default());
        deck.begin(7);
        let mut hands: Vec<_> =
            (0..3).map(|client| Hand::new(Mode::TpccMysql, &deck, stream(client))).collect();
        for _ in 0..10 {
            assert_eq!(counts(&mut hands, 23), [10, 10, 1, 1, 1]);
        }
    }

    #[test]
    fn a_repetition_deals_by_its_seed_alone() {
        let deck = Arc::new(SharedDeck::default());
        let deal = |seed| {
            deck.begin(seed);
            let mut hand = Hand::new(Mode::TpccMysql, &deck, stream(0));
            (0..100).map(|_| hand.draw()).collect::<Vec<_>>()
        };
        let first = deal(1);
        assert_ne!(first, deal(2));
        assert_eq!(first, deal(1));
    }
}
