import { listLists } from '../../../domain/contact/lists.ts'
import type { ContactSelection } from '../../../domain/contact/members.ts'
import { findOrCreateContacts, parsePastedAddresses } from '../../../domain/contact/pasted-addresses.ts'
import { type ContactSummary, listContacts } from '../../../domain/contact/queries.ts'
import type { Context } from '../../../domain/context.ts'
import { addRecipients, removeRecipients } from '../../../domain/email/recipients.ts'
import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, errorSentence, type FormErrors, select, textArea } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { backView, emailPath, findDraft } from './frame.ts'

export const showRecipients = (request: SurveyRequest): Promise<PageResult> => recipientsPage(request)

/** Adds a contact list, selected contacts, or email addresses to the recipients of a draft. */
export async function addRecipientsPage(request: SurveyRequest): Promise<PageResult> {
  const email = await findDraft(request)
  return formPage(request, {
    fields: ['list', 'contacts', 'addresses'],
    act: async (context) => addRecipients(context, email.id, await readChoice(request, context)),
    view: (rejected) => recipientsPage(request, rejected),
    done: (added) => ({
      redirect: pathWith(`${emailPath(request, email)}recipients/`, { search: formValue(request.form, 'search') }),
      flash:
        added === 0
          ? t('No recipients added. All these contacts are already recipients.')
          : t('{recipients} added.', { recipients: pluralize(added, 'recipient') }),
    }),
  })
}

/**
 * Returns the contacts that the submitted form selects. Creates a contact for each pasted address that is not in the
 * address book.
 */
async function readChoice({ form }: SurveyRequest, context: Context): Promise<ContactSelection> {
  const how = formValue(form, 'how')
  if (how === 'list') {
    const list = parseId(formValue(form, 'list'))
    if (!list) throw problems.invalidField('list', 'required', {}, detail('select_list'))
    return { list }
  }
  if (how === 'paste') {
    const { ids } = await findOrCreateContacts(
      context,
      parsePastedAddresses(formValue(form, 'addresses') ?? '', 'addresses'),
    )
    return { ids, field: 'addresses' }
  }
  const ids = formValues(form, 'contacts').map(parseId).filter(Boolean)
  if (!ids.length) throw problems.invalidField('contacts', 'too_few', {}, detail('select_contact'))
  return { ids, field: 'contacts' }
}

/** Removes a recipient from a draft. The contact stays in the address book. */
export async function removeRecipientPage(request: SurveyRequest): Promise<PageResult> {
  const email = await findDraft(request)
  const ids = formValues(request.form, 'contact').map(parseId).filter(Boolean)
  await request.write((context) => removeRecipients(context, email.id, { ids, field: 'contact' }))
  request.flash(t('Recipient removed.'))
  return { redirect: `${emailPath(request, email)}recipients/` }
}

const MAX_LISTS = 200
const MAX_SEARCH_RESULTS = 20
const PAGE_SIZE = 50

/** Renders the recipients of a draft, and the forms that add recipients. */
async function recipientsPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, csrf, query, form } = request
  const email = await findDraft(request)
  const path = `${emailPath(request, email)}recipients/`
  const errors = rejected?.errors
  const search = (query.get('search') ?? formValue(form, 'search') ?? '').trim()
  const { lists } = await listLists(context, { offset: 0, limit: MAX_LISTS })
  const matches = await listContacts(
    context,
    { search, exceptEmail: email.id },
    { offset: 0, limit: MAX_SEARCH_RESULTS },
  )
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const recipients = await listContacts(context, { email: email.id }, page)
  const formFields = (way: string) => html`${csrfField(csrf)}<input type="hidden" name="how" value="${way}">`
  return request.render({
    title: t('Recipients'),
    action: recipients.total > 0 && html`<a class="button" href="${emailPath(request, email)}">Check and send</a>`,
    beforeHeading: backView(request, email),
    content: html`
      ${alert(rejected?.general)}
      <section class="card" aria-labelledby="chosen">
        <h2 id="chosen">${pluralize(recipients.total, 'recipient')}</h2>
        ${
          recipients.total === 0
            ? html`<p class="soft">No recipients yet. Add email addresses, a contact list or contacts below.</p>`
            : html`<form method="post" action="${path}remove/">
              ${csrfField(csrf)}
              <ul class="rows tight sides">${recipients.contacts.map(recipientRow)}</ul>
            </form>`
        }
        ${pager({
          number: page.number,
          total: recipients.total,
          size: PAGE_SIZE,
          path: (number) => pathWith(path, { page: number, search }),
        })}
      </section>
      <section class="card" aria-labelledby="paste">
        <h2 id="paste">Add email addresses</h2>
        <form method="post" action="${path}">
          ${formFields('paste')}
          ${textArea({
            name: 'addresses',
            label: t('Email addresses'),
            prose: true,
            rows: 4,
            value: errors?.has('addresses') ? (formValue(form, 'addresses') ?? '') : '',
            hint: t(
              'One per line, for example ann@example.org or Ann Example <ann@example.org>. New people are added to your address book.',
            ),
            errors,
          })}
          <button>Add addresses</button>
        </form>
      </section>
      ${
        lists.length > 0 &&
        html`<section class="card" aria-labelledby="lists">
          <h2 id="lists">Add a contact list</h2>
          <form method="post" action="${path}">
            ${formFields('list')}
            ${select({
              name: 'list',
              label: t('List'),
              options: lists.map(({ id, name, contacts }) => ({
                value: id,
                label: `${name} (${contacts.toLocaleString(pageLanguage())})`,
              })),
              errors,
            })}
            <button>Add list</button>
          </form>
        </section>`
      }
      <section class="card" aria-labelledby="contacts-title">
        <h2 id="contacts-title">Add contacts</h2>
        <form method="get" action="${path}" role="search" class="search">
          <label for="search" class="hidden">Search contacts</label>
          <input class="box" id="search" name="search" type="search" value="${search}"
              placeholder="Name, email or field">
          <button>Search</button>
        </form>
        ${
          errors?.has('contacts') &&
          html`<p class="error" role="alert">${errorSentence(t('Contacts'), errors?.get('contacts') ?? '')}</p>`
        }
        ${foundView(
          matches,
          html`${formFields('contacts')}<input type="hidden" name="search" value="${search}">`,
          path,
          search,
        )}
      </section>`,
  })
}

const recipientRow = ({ id, name, email, unsubscribed }: ContactSummary): Html =>
  html`<li>
    <div>
      <strong>${name}</strong> <span class="soft">${email !== name && email}</span>
      ${unsubscribed && html` <span class="tag">Unsubscribed</span>`}
    </div>
    <button class="small quiet" name="contact" value="${id}" aria-label="Remove ${name}, ${email}">Remove</button>
  </li>`

function foundView(
  { total, contacts }: { total: number; contacts: readonly ContactSummary[] },
  fields: Html,
  path: string,
  search: string,
): Html {
  if (!total)
    return html`<p class="soft">
      ${search ? t('No other contacts match your search.') : t('No other contacts in your address book.')}
    </p>`
  return html`<form method="post" action="${path}">
    ${fields}
    <fieldset>
      <legend class="hidden">Contacts</legend>
      <ul class="rows tight">
        ${contacts.map(
          ({ id, name, email, unsubscribed }) =>
            html`<li>
              <label class="option">
                <input type="checkbox" name="contacts" value="${id}"> <span>
                  <strong>${name}</strong> <span class="soft">${email !== name && email}</span>
                  ${unsubscribed && html` <span class="tag">Unsubscribed</span>`}
                </span>
              </label>
            </li>`,
        )}
      </ul>
    </fieldset>
    ${
      total > contacts.length &&
      html`<p class="soft">
        Showing ${contacts.length} of ${total.toLocaleString(pageLanguage())} contacts. Search to find others.
      </p>`
    }
    <button>Add selected</button>
  </form>`
}
