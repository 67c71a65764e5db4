import { createHash } from 'node:crypto'
import type { StructureWarning } from '../../../domain/structure/warnings.ts'
import { type Html, html } from '../../../lib/html.ts'
import { warningText } from '../../i18n/error-texts.ts'

/** Returns the value of the form field that confirms exactly the changes in these warnings and no others. */
export const confirmationOf = (removals: readonly StructureWarning[]): string =>
  createHash('sha256')
    .update(removals.map(({ code, pointer }) => `${code} ${pointer}`).join(' '))
    .digest('base64url')

/** Asks for confirmation of changes that affect stored answers: removed questions or choices, and changed types. */
export const removalWarningsView = (removals: readonly StructureWarning[]): Html =>
  html`<section class="card" aria-labelledby="removals"><div class="alert" role="alert" tabindex="-1" autofocus><h2 id="removals">Publish these changes?</h2>
<p>Your changes have not been published yet. They affect existing answers:</p><ul>${removals.map((warning) => html`<li>${warningText(warning)}</li>`)}</ul></div></section>`
