import type { Choice } from '../../../domain/contact/choice.ts'
import { knownOrNew } from '../../../domain/contact/known.ts'
import { readPasted } from '../../../domain/contact/pasted.ts'
import type { Context } from '../../../domain/context.ts'
import { addRecipients, removeRecipients } from '../../../domain/email/recipients.ts'
import { problems } from '../../../domain/problem.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { recipientsPage } from './recipients-page.ts'
import { draftIn, pathOf } from './view.ts'

export const showRecipients = (request: SurveyRequest): Promise<PageResult> => recipientsPage(request)

/** Adds a contact list, chosen contacts, or addresses that were pasted. */
export async function addTo(request: SurveyRequest): Promise<PageResult> {
  const email = await draftIn(request)
  try {
    const added = await request.write(async (context) =>
      addRecipients(context, email.id, await choiceIn(request, context)),
    )
    request.flash(
      added === 0
        ? 'No recipients added. They were all on the list already.'
        : `${pluralize(added, 'recipient')} added.`,
    )
  } catch (error) {
    return recipientsPage(request, fieldErrorsOf(request.toProblem(error), ['list', 'contacts', 'addresses']))
  }
  return { redirect: pathWith(`${pathOf(request, email)}recipients/`, { search: formValue(request.form, 'search') }) }
}

/** Who was chosen, by whichever of the forms. */
async function choiceIn({ form }: SurveyRequest, context: Context): Promise<Choice> {
  const how = formValue(form, 'how')
  if (how === 'list') {
    const list = parseId(formValue(form, 'list'))
    if (!list) throw problems.invalidField('list', 'required', {}, 'select a list')
    return { list }
  }
  if (how === 'paste') {
    const { ids } = await knownOrNew(context, readPasted(formValue(form, 'addresses') ?? '', 'addresses'))
    return { ids, field: 'addresses' }
  }
  return { ids: formValues(form, 'contacts').map(parseId).filter(Boolean), field: 'contacts' }
}

/** Takes one off; they stay in the address book. */
export async function takeOff(request: SurveyRequest): Promise<PageResult> {
  const email = await draftIn(request)
  const ids = formValues(request.form, 'contact').map(parseId).filter(Boolean)
  await request.write((context) => removeRecipients(context, email.id, { ids, field: 'contact' }))
  request.flash('Recipient removed.')
  return { redirect: `${pathOf(request, email)}recipients/` }
}
