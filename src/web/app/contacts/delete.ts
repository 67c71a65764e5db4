import { deleteContact } from '../../../domain/contact/commands.ts'
import { eraseContact } from '../../../domain/contact/erase.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { backTo } from '../../layout/back-link.ts'
import { moment } from '../../layout/time-tag.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { BOOK } from './view.ts'

/** Two ways for somebody to go: out of the address book, or out of everything. */
export const askToDelete = (visit: SignedIn): Promise<Answer> => askPage(visit, false)

async function askPage(visit: SignedIn, unsure: boolean): Promise<Answer> {
  const { context, params, csrf } = visit
  const { id, name, email } = await findContact(context, idIn(params.contact))
  const path = `${BOOK}${id}/`
  return visit.show(
    {
      title: `Delete “${name}”?`,
      above: backTo(path, name),
      content: html`<section class="card" aria-labelledby="delete"><h2 id="delete">Delete the contact</h2><p>${name}, ${email}, leaves the address book and its lists. What they answered stays as it is, with their name.</p>
<form method="post" action="${path}delete/" class="actions">${csrfField(csrf)}<button class="danger">Delete the contact</button><a class="button plain" href="${path}">Keep it</a></form></section>
<section class="card" aria-labelledby="erase"><h2 id="erase">Erase the person</h2><p>For whoever asks to be forgotten: beside the contact, their invitations, the messages to them and what webhooks were sent about them are erased, and answers that came with their address lose their name, address and IP address. The answers themselves stay. Nobody can bring it back.</p>
<form method="post" action="${path}erase/" class="below">${csrfField(csrf)}${unsure && html`<p class="fault" role="alert">Say that you are sure.</p>`}<label class="way"><input type="checkbox" name="sure" value="yes" required> I am sure</label>
<button class="danger">Erase the person</button></form></section>`,
    },
    unsure ? 422 : 200,
  )
}

export async function deleteOne(visit: SignedIn): Promise<Answer> {
  const { id, name } = await findContact(visit.context, idIn(visit.params.contact))
  await visit.write((context) => deleteContact(context, id))
  visit.tell(`${name} is no longer a contact.`)
  return { redirect: BOOK }
}

/** The receipt is the answer to the form: it names nobody, so it can be kept as proof. */
export async function erase(visit: SignedIn): Promise<Answer> {
  const id = idIn(visit.params.contact)
  if (one(visit.form, 'sure') !== 'yes') return askPage(visit, true)
  const { erasedAt, contactId, contact, responses, invites, messages, deliveries, letters } = await visit.write(
    (context) => eraseContact(context, id),
  )
  const counts = {
    Contacts: contact,
    Responses: responses,
    Invitations: invites,
    Messages: messages,
    'Webhook messages': deliveries,
    ...(letters > 0 && { 'E-mails kept as files': letters }),
  }
  return visit.show({
    title: 'The person is erased',
    content: html`<section class="card" aria-labelledby="receipt"><h2 id="receipt">Receipt</h2><p class="soft">Print this page or save it, if you need proof. It names nobody.</p>
<dl class="facts"><dt>Erased</dt><dd>${moment(erasedAt)}</dd><dt>Contact number</dt><dd>${contactId}</dd>${Object.entries(counts).map(([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString('en')}</dd>`)}</dl>
<div class="actions"><a class="button" href="${BOOK}">All contacts</a></div></section>`,
  })
}
