import { deleteSurvey } from '../../../domain/survey/commands.ts'
import { summariseSurvey } from '../../../domain/survey/queries.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

const LIST = '/account/surveys/'

/** Asks for confirmation before a survey is deleted. */
export async function confirmDeleteSurvey(request: SignedInRequest): Promise<PageResult> {
  const { context, params } = request
  const survey = await summariseSurvey(context, parseId(params.id), 'Owner')
  const responses = pluralize(survey.responses, 'response')
  return confirmPage(request, {
    title: t('Delete “{name}”?', { name: survey.name }),
    beforeHeading: backLink(LIST, t('All surveys')),
    text: t('This deletes the survey with its {responses}, collectors, versions and reports. You cannot undo this.', {
      responses,
    }),
    button: t('Delete survey'),
    cancel: { label: t('Cancel'), path: LIST },
  })
}

export async function removeSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { name } = await summariseSurvey(request.context, id, 'Owner')
  await request.write((context) => deleteSurvey(context, id))
  request.flash(t('“{name}” deleted.', { name }))
  return { redirect: LIST }
}
