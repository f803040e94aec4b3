//! The private keys of a hall that moves.

use crate::fault::Problem;
use crate::journal_location::JournalLocation;
use crate::keys::{self, HallSecrets, KeyFiles};
use hall_core::HallKeys;
use std::path::PathBuf;

/// Where the keys of a hall that moves are and where they are to be.
pub(super) struct MovingKeys {
    /// Where they are; `None` if nobody said so, which is possible only from one database to another.
    pub(super) files: Option<KeyFiles>,
    /// An empty folder that receives them.
    receiver: Option<KeyFiles>,
}

impl MovingKeys {
    /// Finds the keys and compares them with those that the journal names (`known`); `named` is the folder of `--keys`.
    ///
    /// # Errors
    /// They are missing, exposed, or those of another hall.
    pub(super) fn find(
        from: &JournalLocation,
        to: &JournalLocation,
        named: Option<PathBuf>,
        known: Option<&HallKeys>,
    ) -> Result<Self, Problem> {
        let own = match from {
            JournalLocation::Folder(data) => {
                let files = KeyFiles::in_data(data);
                if let Some(known) = known {
                    // As every start does: the hall may have ended between a new key and its file.
                    keys::settle(&files, data, known)?;
                }
                if files.are_absent()? { None } else { Some(checked(files, known)?) }
            }
            JournalLocation::Database(_) => None,
        };
        let named = named.map(|folder| KeyFiles::in_folder(&folder));
        let is_free = named.as_ref().map(KeyFiles::are_absent).transpose()?.unwrap_or(false);
        match (own, named, to) {
            (Some((files, _)), None, _) => Ok(Self { files: Some(files), receiver: None }),
            (Some((files, _)), Some(named), JournalLocation::Database(_)) if is_free => {
                Ok(Self { files: Some(files), receiver: Some(named) })
            }
            (own, Some(named), _) => {
                let (files, operator) = checked(named, known)?;
                if own.is_some_and(|(_, own)| own != operator) {
                    return Err(Problem::refused(format!(
                        "{} holds another operator.key than the hall's data folder",
                        files.folder().display()
                    )));
                }
                Ok(Self { files: Some(files), receiver: None })
            }
            (None, None, JournalLocation::Database(_)) if matches!(from, JournalLocation::Database(_)) => {
                Ok(Self { files: None, receiver: None })
            }
            (None, None, _) => Err(Problem::refused(
                "the hall's keys are not with its journal. Name their folder with --keys (the one that keys.path names)",
            )),
        }
    }

    /// Copies the keys into the folder that is to receive them.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub(super) fn hand_over(&self) -> Result<(), Problem> {
        if let (Some(files), Some(receiver)) = (&self.files, &self.receiver) {
            keys::copy(files, receiver)?;
        }
        Ok(())
    }

    /// What the operator does with the keys of a hall in a database.
    pub(super) fn advice(&self) -> String {
        const EVERYWHERE: &str = "Every node needs a copy that only its hall can read";
        match (&self.receiver, &self.files) {
            (Some(files), _) => format!(
                "The private keys are in {folder}. {EVERYWHERE}: set keys.path to its folder there.",
                folder = files.folder().display()
            ),
            (None, Some(files)) => format!(
                "The private keys are in {} and {}. {EVERYWHERE}, with log.origin beside the keys: set keys.path to its folder.",
                files.folder().display(),
                files.origin().display()
            ),
            (None, None) => "The private keys stay where they are: keys.path names their folder.".to_owned(),
        }
    }
}

/// The files, with the operators' secret in them, if they hold the keys that the journal names.
fn checked(files: KeyFiles, known: Option<&HallKeys>) -> Result<(KeyFiles, [u8; 32]), Problem> {
    let secrets = HallSecrets::load(&files, false, None, "")?;
    if let Some(known) = known {
        secrets.check(known, &files)?;
    }
    Ok((files, secrets.operator))
}
