import type { Choice } from '../../../domain/contact/choice.ts'
import { knownOrNew } from '../../../domain/contact/known.ts'
import { readPasted } from '../../../domain/contact/pasted.ts'
import type { Context } from '../../../domain/context.ts'
import { addRecipients, removeRecipients } from '../../../domain/email/recipients.ts'
import { problems } from '../../../domain/problem.ts'
import { counted } from '../../layout/pluralize.ts'
import { faultsOf } from '../../forms/field.ts'
import { pathWith } from '../../layout/pager.ts'
import { idIn } from '../../session.ts'
import { all, one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { recipientsPage } from './recipients-page.ts'
import { draftIn, pathOf } from './view.ts'

export const showRecipients = (visit: SurveyVisit): Promise<Answer> => recipientsPage(visit)

/** Adds a contact list, chosen contacts, or addresses that were pasted. */
export async function addTo(visit: SurveyVisit): Promise<Answer> {
  const email = await draftIn(visit)
  try {
    const added = await visit.write(async (context) => addRecipients(context, email.id, await choiceIn(visit, context)))
    visit.tell(added === 0 ? 'They were recipients already.' : `${counted(added, 'recipient')} added.`)
  } catch (error) {
    return recipientsPage(visit, faultsOf(visit.known(error), ['list', 'contacts', 'addresses']))
  }
  return { redirect: pathWith(`${pathOf(visit, email)}recipients/`, { search: one(visit.form, 'search') }) }
}

/** Who was chosen, by whichever of the forms. */
async function choiceIn({ form }: SurveyVisit, context: Context): Promise<Choice> {
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
export async function takeOff(visit: SurveyVisit): Promise<Answer> {
  const email = await draftIn(visit)
  const ids = all(visit.form, 'contact').map(idIn).filter(Boolean)
  await visit.write((context) => removeRecipients(context, email.id, { ids, field: 'contact' }))
  visit.tell('They are no longer a recipient.')
  return { redirect: `${pathOf(visit, email)}recipients/` }
}
