import type { Choice } from '../../../domain/contact/choice.ts'
import { knownOrNew } from '../../../domain/contact/known.ts'
import { readPasted } from '../../../domain/contact/pasted.ts'
import type { Context } from '../../../domain/context.ts'
import { addRecipients, removeRecipients } from '../../../domain/email/recipients.ts'
import { problems } from '../../../domain/problem.ts'
import { faultsOf } from '../../forms/field.ts'
import { pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { all, one } from '../../respondent/input.ts'
import { idIn } from '../../session.ts'
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
    return recipientsPage(request, faultsOf(request.toProblem(error), ['list', 'contacts', 'addresses']))
  }
  return { redirect: pathWith(`${pathOf(request, email)}recipients/`, { search: one(request.form, 'search') }) }
}

/** Who was chosen, by whichever of the forms. */
async function choiceIn({ form }: SurveyRequest, context: Context): Promise<Choice> {
  const how = one(form, 'how')
  if (how === 'list') {
    const list = idIn(one(form, 'list'))
    if (!list) throw problems.invalidField('list', 'choose a list')
    return { list }
  }
  if (how === 'paste') {
    const { ids } = await knownOrNew(context, readPasted(one(form, 'addresses') ?? '', 'addresses'))
    return { ids, field: 'addresses' }
  }
  return { ids: all(form, 'contacts').map(idIn).filter(Boolean), field: 'contacts' }
}

/** Takes one off; they stay in the address book. */
export async function takeOff(request: SurveyRequest): Promise<PageResult> {
  const email = await draftIn(request)
  const ids = all(request.form, 'contact').map(idIn).filter(Boolean)
  await request.write((context) => removeRecipients(context, email.id, { ids, field: 'contact' }))
  request.flash('Recipient removed.')
  return { redirect: `${pathOf(request, email)}recipients/` }
}
