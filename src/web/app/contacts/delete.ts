import { deleteContact } from '../../../domain/contact/commands.ts'
import { eraseContact } from '../../../domain/contact/erase.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { backTo } from '../../layout/back-link.ts'
import { moment } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { BOOK } from './view.ts'

/** Two ways for somebody to go: out of the address book, or out of everything. */
export const askToDelete = (request: SignedInRequest): Promise<PageResult> => askPage(request, false)

async function askPage(request: SignedInRequest, unsure: boolean): Promise<PageResult> {
  const { context, params, csrf } = request
  const { id, name, email } = await findContact(context, idIn(params.contact))
  const path = `${BOOK}${id}/`
  return request.render(
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

export async function deleteOne(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await findContact(request.context, idIn(request.params.contact))
  await request.write((context) => deleteContact(context, id))
  request.flash(`${name} is no longer a contact.`)
  return { redirect: BOOK }
}

/** The receipt is the answer to the form: it names nobody, so it can be kept as proof. */
export async function erase(request: SignedInRequest): Promise<PageResult> {
  const id = idIn(request.params.contact)
  if (one(request.form, 'sure') !== 'yes') return askPage(request, true)
  const { erasedAt, contactId, contact, responses, invites, messages, deliveries, letters } = await request.write(
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
  return request.render({
    title: 'The person is erased',
    content: html`<section class="card" aria-labelledby="receipt"><h2 id="receipt">Receipt</h2><p class="soft">Print this page or save it, if you need proof. It names nobody.</p>
<dl class="facts"><dt>Erased</dt><dd>${moment(erasedAt)}</dd><dt>Contact number</dt><dd>${contactId}</dd>${Object.entries(counts).map(([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString('en')}</dd>`)}</dl>
<div class="actions"><a class="button" href="${BOOK}">All contacts</a></div></section>`,
  })
}
