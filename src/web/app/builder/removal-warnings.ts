import { createHash } from 'node:crypto'
import type { StructureWarning } from '../../../domain/structure/warnings.ts'
import { type Html, html } from '../../../lib/html.ts'

/** What a form carries whose author was told of these losses: others are asked about anew. */
export const confirmationOf = (losses: readonly StructureWarning[]): string =>
  createHash('sha256')
    .update(losses.map(({ code, pointer }) => `${code} ${pointer}`).join(' '))
    .digest('base64url')

/** Asks before answered questions or choices are removed. */
export const removalWarningsView = (losses: readonly StructureWarning[]): Html =>
  html`<section class="card" aria-labelledby="losses"><div class="alert" role="alert" tabindex="-1" autofocus><h2 id="losses">Save these changes?</h2>
<p>Nothing was saved yet. These changes affect answers that people have given:</p><ul>${losses.map(({ message }) => html`<li>${message}</li>`)}</ul></div></section>`
