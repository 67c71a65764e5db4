import { INVITE_LINK, UNSUBSCRIBE_LINK } from '../../../domain/email/tokens.ts'
import { type Html, html } from '../../../lib/html.ts'

const MAX_FIELDS = 20

/**
 * Renders the list of merge tags that subjects and messages can contain.
 * @param fields the names of the custom fields of the address book
 */
export const mergeTagsView = (fields: readonly string[]): Html =>
  html`<aside class="card merge-tags" aria-labelledby="merge-tags"><h2 id="merge-tags">Merge tags</h2>
<p class="soft">Each tag is replaced with the recipient’s details. If the survey is anonymous, tags inside web addresses are left out.</p>
<dl><dt><code>${INVITE_LINK}</code></dt><dd>The recipient’s link to the survey. Required.</dd>
<dt><code>[Full Name]</code></dt><dd>The recipient’s name.</dd>
<dt><code>[Email]</code></dt><dd>The recipient’s email address.</dd>
<dt><code>${UNSUBSCRIBE_LINK}</code></dt><dd>The unsubscribe link. If the message does not contain this tag, Canvass adds the link at the end.</dd>
${fields.slice(0, MAX_FIELDS).map((name) => html`<dt><code>[Custom:${name}]</code></dt><dd>The contact’s value for this field.</dd>`)}</dl></aside>`
