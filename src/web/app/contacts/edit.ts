import { findBounce, forgetBounce } from '../../../domain/contact/bounced-address.ts'
import { createContact, deleteContact, updateContact } from '../../../domain/contact/commands.ts'
import { eraseContact } from '../../../domain/contact/erase.ts'
import { listFields } from '../../../domain/contact/fields.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { formPage, rejectedPage } from '../../forms/form-page.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH } from './list.ts'

const readForm = ({ form }: SignedInRequest) => ({
  name: formValue(form, 'name') ?? '',
  email: formValue(form, 'email') ?? '',
  custom: readCustomFields(form),
})

const fieldsOf = ({ form }: SignedInRequest): string[] => ['name', 'email', ...Object.keys(readCustomFields(form))]

export const showNewContact = (request: SignedInRequest): Promise<PageResult> => newContactPage(request)

async function newContactPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  return request.render({
    title: t('Add contact'),
    beforeHeading: backLink(CONTACTS_PATH, t('All contacts')),
    content: html`<section class="card" aria-label="Contact">
      ${await formView(request, `${CONTACTS_PATH}new/`, readForm(request), rejected)}
    </section>`,
  })
}

export const addContact = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: fieldsOf(request),
    act: (context) => createContact(context, readForm(request)),
    view: (rejected) => newContactPage(request, rejected),
    done: ({ name }) => ({ redirect: CONTACTS_PATH, flash: t('{name} added to your address book.', { name }) }),
  })

export const showContact = (request: SignedInRequest): Promise<PageResult> => contactPage(request)

async function contactPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const contact = await findContact(request.context, parseId(request.params.contact))
  const bounce = await findBounce(request.context, contact.id)
  const path = `${CONTACTS_PATH}${contact.id}/`
  return request.render({
    title: contact.name,
    beforeHeading: backLink(CONTACTS_PATH, t('All contacts')),
    content: html`
      <section class="card" aria-label="Contact">
        ${
          contact.unsubscribed &&
          html`<p class="alert">This person has unsubscribed. Invitations are not sent to them.</p>`
        }
        ${
          bounce &&
          html`<form method="post" action="${path}allow/" class="alert">
            ${csrfField(request.csrf)}
            <p>Mail to this address came back ${timeTag(bounce.bouncedAt)}: ${bounce.reason}</p>
            <p>Invitations are not sent to it.</p>
            <button class="small">Send invitations to it again</button>
          </form>`
        }
        ${await formView(request, path, rejected ? readForm(request) : contact, rejected)}
      </section>
      <p class="soft">
        Added
        ${timeTag(contact.createdAt)}. <a class="danger" href="${path}delete/">
          Delete the contact or erase personal data…
        </a>
      </p>`,
  })
}

export async function changeContact(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  return formPage(request, {
    fields: fieldsOf(request),
    act: (context) => updateContact(context, id, readForm(request)),
    view: (rejected) => contactPage(request, rejected),
    done: ({ name }) => ({ redirect: `${CONTACTS_PATH}${id}/`, flash: t('{name} saved.', { name }) }),
  })
}

/** Permits mail to the address of a contact from which mail came back. */
export async function allowMail(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  await request.write((context) => forgetBounce(context, id))
  return { redirect: `${CONTACTS_PATH}${id}/` }
}

async function formView(
  { context, csrf, form }: SignedInRequest,
  action: string,
  { name, email, custom }: { name: string; email: string; custom: Readonly<Record<string, string>> },
  rejected?: FormErrors,
) {
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  return html`
    ${alert(rejected?.general)}
    <form method="post" action="${action}">
      ${csrfField(csrf)}
      ${field({ name: 'name', label: t('Name'), value: name, required: true, errors })}
      ${field({ name: 'email', label: t('Email address'), type: 'email', value: email, required: true, errors })}
      ${customFieldsView(await listFields(context), custom, errors, rejected ? form : {})}
      <div class="actions">
        <button class="primary">Save</button>
        <a class="button plain" href="${CONTACTS_PATH}">Cancel</a>
      </div>
    </form>`
}

/**
 * Matches the name of a form field that contains the name of a custom field. The form field `field.0` contains the name
 * of the first custom field, and `custom.0` contains the value of this custom field. The form fields `field.new` and
 * `custom.new` create a custom field.
 */
const FIELD_NAME = /^field\.(\d{1,4}|new)$/

/**
 * Reads the values of the custom fields from a form. The keys of the result are the names of the custom fields. An
 * empty value clears the custom field.
 */
function readCustomFields(form: FormFields): Record<string, string> {
  // The object has no prototype, so that a name such as __proto__ is an ordinary key, which the domain rejects.
  const custom: Record<string, string> = Object.create(null)
  for (const key of Object.keys(form)) {
    const [, suffix] = FIELD_NAME.exec(key) ?? []
    const name = suffix && (formValue(form, key) ?? '').trim()
    if (name) custom[name] = formValue(form, `custom.${suffix}`) ?? ''
  }
  return custom
}

/**
 * Renders the inputs for the existing custom fields and for a new custom field.
 * @param names the names of the custom fields in the address book
 * @param errors the errors by the name of the custom field
 * @param submitted the rejected form, whose input for a new custom field is shown again
 */
function customFieldsView(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
  errors: FieldErrorTexts,
  submitted: FormFields,
): Html {
  const added = formValue(submitted, 'field.new') ?? ''
  const newName = names.includes(added) ? '' : added
  return html`<fieldset class="custom">
    <legend>Custom fields</legend>
    ${names.map((name, index) => {
      const key = `custom.${index}`
      const fieldError = errors.get(name)
      return html`
        <input type="hidden" name="field.${index}" value="${name}">
        ${field({
          name: key,
          label: name,
          value: Object.hasOwn(values, name) ? values[name]! : '',
          ...(fieldError && { errors: new Map([[key, fieldError]]) }),
        })}`
    })}
    <div class="pair">
      ${field({
        name: 'field.new',
        label: t('New field name'),
        value: newName,
        hint: t('For example, city.'),
        ...(newName && errors.has(newName) && { errors: new Map([['field.new', errors.get(newName)!]]) }),
      })}
      ${field({
        name: 'custom.new',
        label: t('New field value'),
        hint: t('Other contacts get the field without a value.'),
        value: newName ? (formValue(submitted, 'custom.new') ?? '') : '',
      })}
    </div>
  </fieldset>`
}

/** Asks whether to delete the contact, or to erase all personal data of the contact. */
export const confirmDeleteContact = (request: SignedInRequest): Promise<PageResult> => deletionPage(request, false)

async function deletionPage(request: SignedInRequest, unsure: boolean): Promise<PageResult> {
  const { context, params, csrf } = request
  const { id, name, email } = await findContact(context, parseId(params.contact))
  const path = `${CONTACTS_PATH}${id}/`
  return request.render({
    title: t('Delete “{name}”?', { name }),
    beforeHeading: backLink(path, name),
    content: html`
      <section class="card" aria-labelledby="delete">
        <h2 id="delete">Delete contact</h2>
        <p>
          This removes ${name} (${email}) from your address book and contact lists. The name and email address stay in
          the contact’s responses.
        </p>
        <form method="post" action="${path}delete/" class="actions">
          ${csrfField(csrf)}
          <button class="danger">Delete contact</button>
          <a class="button plain" href="${path}">Cancel</a>
        </form>
      </section>
      <section class="card" aria-labelledby="erase">
        <h2 id="erase">Erase personal data</h2>
        <p>
          Use this when someone asks you to erase their data. This deletes the contact, and their invitations, emails
          and webhook messages. It removes the name, email address, username, IP address, referrer and URL parameters
          from their responses, and keeps the answers. You cannot undo this.
        </p>
        <form method="post" action="${path}erase/" class="below">
          ${csrfField(csrf)}
          ${unsure && html`<p class="error" role="alert">Select “I am sure” to continue.</p>`}
          <label class="option"><input type="checkbox" name="sure" value="yes" required> I am sure</label> <button
              class="danger">Erase personal data</button>
        </form>
      </section>`,
  })
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
  if (formValue(request.form, 'sure') !== 'yes') return rejectedPage(await deletionPage(request, true))
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
    content: html`<section class="card" aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <p class="soft">Print or save this page if you need a record. The page does not identify the person.</p>
      <dl class="facts">
        <dt>Erased</dt>
        <dd>${timeTag(erasedAt)}</dd>
        <dt>Contact number</dt>
        <dd>${contactId}</dd>
        ${Object.entries(counts).map(
          ([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString(pageLanguage())}</dd>`,
        )}
      </dl>
      <div class="actions"><a class="button" href="${CONTACTS_PATH}">All contacts</a></div>
    </section>`,
  })
}
