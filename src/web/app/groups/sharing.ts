import { shareSurvey, unshareSurvey } from '../../../domain/survey/sharing.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH } from './show.ts'

/** Shares one of the user's surveys with a group. */
export async function shareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => shareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash(t('Survey shared.'))
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Stops sharing a survey with a group. */
export async function unshareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => unshareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash(t('Survey no longer shared.'))
  return { redirect: `${GROUPS_PATH}${group}/` }
}
