import { deleteContact } from '../../../domain/contact/commands.ts'
import { eraseContact } from '../../../domain/contact/erase.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH } from './view.ts'

/** Asks whether to delete the contact, or to erase all personal data of the contact. */
export const confirmDeleteContact = (request: SignedInRequest): Promise<PageResult> => deletionPage(request, false)

async function deletionPage(request: SignedInRequest, unsure: boolean): Promise<PageResult> {
  const { context, params, csrf } = request
  const { id, name, email } = await findContact(context, parseId(params.contact))
  const path = `${CONTACTS_PATH}${id}/`
  return request.render(
    {
      title: t('Delete “{name}”?', { name }),
      beforeHeading: backLink(path, name),
      content: html`<section class="card" aria-labelledby="delete"><h2 id="delete">Delete contact</h2><p>This removes ${name} (${email}) from your address book and contact lists. The name and email address stay in the contact’s responses.</p>
<form method="post" action="${path}delete/" class="actions">${csrfField(csrf)}<button class="danger">Delete contact</button><a class="button plain" href="${path}">Cancel</a></form></section>
<section class="card" aria-labelledby="erase"><h2 id="erase">Erase personal data</h2><p>Use this when someone asks you to erase their data. This deletes the contact, and their invitations, emails and webhook messages. It removes the name, email address, username, IP address, referrer and URL parameters from their responses, and keeps the answers. You cannot undo this.</p>
<form method="post" action="${path}erase/" class="below">${csrfField(csrf)}${unsure && html`<p class="error" role="alert">Select “I am sure” to continue.</p>`}<label class="option"><input type="checkbox" name="sure" value="yes" required> I am sure</label>
<button class="danger">Erase personal data</button></form></section>`,
    },
    unsure ? 422 : 200,
  )
}

export async function removeContact(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await findContact(request.context, parseId(request.params.contact))
  await request.write((context) => deleteContact(context, id))
  request.flash(t('{name} deleted.', { name }))
  return { redirect: CONTACTS_PATH }
}

/** Erases the personal data of a contact, and shows a confirmation that does not identify the person. */
export async function erasePerson(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  if (formValue(request.form, 'sure') !== 'yes') return deletionPage(request, true)
  const { erasedAt, contactId, contact, responses, invites, messages, deliveries, devEmails } = await request.write(
    (context) => eraseContact(context, id),
  )
  const counts = {
    [t('Contacts')]: contact,
    [t('Responses made anonymous')]: responses,
    [t('Invitations')]: invites,
    [t('Emails')]: messages,
    [t('Webhook messages')]: deliveries,
    ...(devEmails > 0 && { [t('Saved email files')]: devEmails }),
  }
  return request.render({
    title: t('Personal data erased'),
    content: html`<section class="card" aria-labelledby="receipt"><h2 id="receipt">Receipt</h2><p class="soft">Print or save this page if you need a record. The page does not identify the person.</p>
<dl class="facts"><dt>Erased</dt><dd>${timeTag(erasedAt)}</dd><dt>Contact number</dt><dd>${contactId}</dd>${Object.entries(counts).map(([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString(pageLanguage())}</dd>`)}</dl>
<div class="actions"><a class="button" href="${CONTACTS_PATH}">All contacts</a></div></section>`,
  })
}
