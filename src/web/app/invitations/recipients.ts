import type { ContactSelection } from '../../../domain/contact/members.ts'
import { findOrCreateContacts, parsePastedAddresses } from '../../../domain/contact/pasted-addresses.ts'
import type { Context } from '../../../domain/context.ts'
import { addRecipients, removeRecipients } from '../../../domain/email/recipients.ts'
import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { emailPath, findDraft } from './frame.ts'
import { recipientsPage } from './recipients-view.ts'

export const showRecipients = (request: SurveyRequest): Promise<PageResult> => recipientsPage(request)

/** Adds a contact list, selected contacts, or email addresses to the recipients of a draft. */
export async function addRecipientsPage(request: SurveyRequest): Promise<PageResult> {
  const email = await findDraft(request)
  try {
    const added = await request.write(async (context) =>
      addRecipients(context, email.id, await readChoice(request, context)),
    )
    request.flash(
      added === 0
        ? t('No recipients added. All these contacts are already recipients.')
        : t('{recipients} added.', { recipients: pluralize(added, 'recipient') }),
    )
  } catch (error) {
    return recipientsPage(request, fieldErrorsOf(request.toProblem(error), ['list', 'contacts', 'addresses']))
  }
  return {
    redirect: pathWith(`${emailPath(request, email)}recipients/`, { search: formValue(request.form, 'search') }),
  }
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
