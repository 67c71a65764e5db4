import { deleteEmail } from '../../../domain/email/commands.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { emailPath, findSurveyEmail, invitationsPath } from './frame.ts'

/** Asks for confirmation before an unsent email is deleted. */
export async function confirmDeleteEmail(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  return confirmPage(request, {
    title: 'Delete this invitation?',
    text: `This permanently deletes the invitation “${email.subject}” and its list of ${pluralize(email.recipients, 'recipient')}. Your contacts are not deleted.`,
    button: 'Delete invitation',
    cancel: { label: 'Cancel', path: emailPath(request, email) },
  })
}

export async function removeEmail(request: SurveyRequest): Promise<PageResult> {
  const { id, subject } = await findSurveyEmail(request)
  await request.write((context) => deleteEmail(context, id))
  request.flash(`“${subject}” deleted.`)
  return { redirect: invitationsPath(request) }
}
