import { shareSurvey, unshareSurvey } from '../../../domain/survey/sharing.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH } from './show.ts'

/** Shares a survey of the visitor's with the group. */
export async function shareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => shareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash('The survey is shared.')
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Takes it back. */
export async function unshareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => unshareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash('The survey is no longer shared with this group.')
  return { redirect: `${GROUPS_PATH}${group}/` }
}
