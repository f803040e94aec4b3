//! Style sheet, scripts, icon and verifier. Their names change with their content, so they may be kept for ever.

use super::{content, part};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::errors::ApiCode;
use bytes::Bytes;

pub(super) static ASSET: Endpoint =
    part(Route::get("asset", "/assets/{name}", Access::Public, "A file that pages load."), |sent| {
        let name = sent.param();
        Ok(action(|call| async move {
            let asset = hall_pages::asset(&name).ok_or(ApiCode::NotFound)?;
            let bytes = Bytes::from_static(&asset.content);
            Ok(content(&call.shell, asset.content_type, bytes).cached("public, max-age=31536000, immutable"))
        }))
    });
