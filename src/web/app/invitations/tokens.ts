import { INVITE_LINK, UNSUBSCRIBE_LINK } from '../../../domain/email/tokens.ts'
import { type Html, html } from '../../../lib/html.ts'

/** Fields named here, at most. */
const MOST = 20

/** What can stand in a subject and a message, and what becomes of it. @param fields of the address book */
export const tokensView = (fields: readonly string[]): Html =>
  html`<aside class="card tokens" aria-labelledby="tokens"><h2 id="tokens">Fill-ins</h2>
<p class="soft">These are replaced for each recipient.</p>
<dl><dt><code>${INVITE_LINK}</code></dt><dd>Their own link to the survey. The message must have it.</dd>
<dt><code>[Full Name]</code></dt><dd>Their name.</dd>
<dt><code>[Email]</code></dt><dd>Their e-mail address.</dd>
<dt><code>${UNSUBSCRIBE_LINK}</code></dt><dd>The way out. Without it, a line with it is added at the end.</dd>
${fields.slice(0, MOST).map((name) => html`<dt><code>[Custom:${name}]</code></dt><dd>What the contact has there.</dd>`)}</dl></aside>`
