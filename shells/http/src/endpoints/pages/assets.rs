//! Style sheet, scripts, icon and verifier. Their names change with their content, so they may be kept for ever.

use super::{hashed_content, part};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::errors::ApiCode;
use bytes::Bytes;
use salvo::http::header;
use std::sync::{Arc, OnceLock};

/// What a worker may do: load the verifier that this hall serves, and run it.
const WORKER_POLICY: &str =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'";

pub(super) static ASSET: Endpoint =
    part(Route::get("asset", "/assets/{name}", Access::Public, "A file that pages load."), |sent| {
        let name = sent.param();
        Ok(action(|call| async move {
            let asset = hall_pages::asset(&name).ok_or(ApiCode::NotFound)?;
            let content = Bytes::from_static(&asset.content);
            let answer = hashed_content(&call.shell, asset.content_type, content, asset.hash);
            let answer = match asset.compressed {
                Some(short) => answer.document(&Arc::new(OnceLock::from(Bytes::from_static(short)))),
                None => answer,
            };
            // Said of all files; it counts for a script that runs as a worker, which the policy of the page does not bind.
            let answer = answer.with_header(header::CONTENT_SECURITY_POLICY, WORKER_POLICY);
            Ok(answer.cached("public, max-age=31536000, immutable"))
        }))
    });
