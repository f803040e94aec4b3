//! The keys of the hall as its operator keeps them: made before the journal names them, and used once it does.

use crate::dice::Dice;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_core::{Command, HallCommand, HallKeys, KeyOccasion, KeyPurpose};
use hall_wire::key::PrivateKey;
use hall_wire::message::key_succession;
use hall_wire::note::{key_name, verifier_key};

/// A key and the text by which the log names it.
struct Pair {
    public: String,
    private: PrivateKey,
}

/// All keys that the hall ever had or was to have, of each purpose.
pub(crate) struct Keyring {
    dice: Dice,
    log: Vec<Pair>,
    ring: Vec<Pair>,
}

impl Keyring {
    /// The keys of a hall that has never started. Their texts are the same in every world and hold no key, so nobody
    /// can check what they have signed; those that follow are real.
    pub(crate) fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed, "keys of the hall", 0);
        let mut first = |public: &str| {
            let private = PrivateKey::from_seed(&dice.bytes());
            vec![Pair { public: public.to_owned(), private }]
        };
        let (log, ring) = (first("hall.sim+00000000+AA=="), first("whpk_AA=="));
        Self { dice, log, ring }
    }

    /// The keys that a hall starts with that has never started.
    pub(crate) fn first(&self) -> HallKeys {
        let text = |pairs: &[Pair]| pairs.first().map_or_else(String::new, |pair| pair.public.clone());
        HallKeys { log: text(&self.log), ring: text(&self.ring) }
    }

    /// The keys to start with where the journal names these. If it names one that was never made, they are others,
    /// and the hall has to refuse them.
    pub(super) fn to_start_with(&self, named: Option<HallKeys>) -> HallKeys {
        let held = |pairs: &[Pair], public: &str| pairs.iter().any(|pair| pair.public == public);
        let held = |named: &HallKeys| held(&self.log, &named.log) && held(&self.ring, &named.ring);
        named.filter(held).unwrap_or_else(|| self.first())
    }

    /// A new key in the place of the present one, which signs it. `None` if the present one is not here.
    pub(super) fn replacement(&mut self, purpose: KeyPurpose, present: &HallKeys) -> Option<Command> {
        let private = PrivateKey::from_seed(&self.dice.bytes());
        let (pairs, present) = match purpose {
            KeyPurpose::Log => (&mut self.log, &present.log),
            KeyPurpose::Ring => (&mut self.ring, &present.ring),
        };
        let before = pairs.iter().find(|pair| pair.public == *present)?;
        let public_key = match purpose {
            KeyPurpose::Log => verifier_key(key_name(present), &private.public()),
            KeyPurpose::Ring => format!("whpk_{}", STANDARD.encode(private.public().as_bytes())),
        };
        let signature = before.private.sign(key_succession(purpose.as_str(), &public_key).as_bytes());
        pairs.push(Pair { public: public_key.clone(), private });
        let (occasion, reason) = (KeyOccasion::Rotation, "a year has passed".to_owned());
        // As in commands of before, so that recorded worlds keep their journals; nobody else replaces it meanwhile.
        let replaces = None;
        Some(Command::Hall(HallCommand::ReplaceKey {
            purpose,
            public_key,
            replaces,
            signature,
            occasion,
            reason,
        }))
    }
}
