/** The vectors that all clients share. */

import { readFileSync } from 'node:fs';

const place = process.env['HALL_VECTORS'] ?? new URL('../../../../vectors.json', import.meta.url);

export const vectors = JSON.parse(readFileSync(place, 'ascii')) as Record<string, any>;
