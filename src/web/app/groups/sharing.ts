import { shareSurvey, unshareSurvey } from '../../../domain/group/sharing.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { GROUPS } from './show.ts'

/** Shares a survey of the visitor's with the group. */
export async function share(visit: SignedIn): Promise<Answer> {
  const group = idIn(visit.params.group)
  await visit.write((context) => shareSurvey(context, idIn(one(visit.form, 'survey')), String(group)))
  visit.tell('The survey is shared.')
  return { redirect: `${GROUPS}${group}/` }
}

/** Takes it back. */
export async function unshare(visit: SignedIn): Promise<Answer> {
  const group = idIn(visit.params.group)
  await visit.write((context) => unshareSurvey(context, idIn(one(visit.form, 'survey')), String(group)))
  visit.tell('The survey is no longer shared with this group.')
  return { redirect: `${GROUPS}${group}/` }
}
