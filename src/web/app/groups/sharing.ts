import { shareSurvey, unshareSurvey } from '../../../domain/survey/sharing.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { GROUPS } from './show.ts'

/** Shares a survey of the visitor's with the group. */
export async function share(request: SignedInRequest): Promise<PageResult> {
  const group = idIn(request.params.group)
  await request.write((context) => shareSurvey(context, idIn(one(request.form, 'survey')), String(group)))
  request.flash('The survey is shared.')
  return { redirect: `${GROUPS}${group}/` }
}

/** Takes it back. */
export async function unshare(request: SignedInRequest): Promise<PageResult> {
  const group = idIn(request.params.group)
  await request.write((context) => unshareSurvey(context, idIn(one(request.form, 'survey')), String(group)))
  request.flash('The survey is no longer shared with this group.')
  return { redirect: `${GROUPS}${group}/` }
}
