import { removeMember, setMember } from '../../../domain/group/members.ts'
import { Problem } from '../../../domain/problem.ts'
import { faultsOf } from '../../forms/field.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { all, one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { GROUPS, groupPage } from './show.ts'

/** Takes somebody in, or gives who is in it other roles. */
export async function saveMember(visit: SignedIn): Promise<Answer> {
  const { form, params } = visit
  const group = idIn(params.group)
  try {
    const { name, email } = await visit.write((context) =>
      setMember(context, group, { email: (one(form, 'email') ?? '').trim(), roles: all(form, 'roles').join(' ') }),
    )
    visit.tell(`The roles of ${name || email} are saved.`)
  } catch (error) {
    const known = visit.known(error)
    if (known instanceof Problem && known.code === 'user_not_found')
      return groupPage(visit, {
        faults: new Map([['email', 'Nobody here has an account with this address.']]),
        general: undefined,
      })
    return groupPage(visit, faultsOf(known, ['email', 'roles']))
  }
  return { redirect: `${GROUPS}${group}/` }
}

export async function dropMember(visit: SignedIn): Promise<Answer> {
  const group = idIn(visit.params.group)
  const email = one(visit.form, 'email') ?? ''
  await visit.write((context) => removeMember(context, group, email))
  visit.tell(`${email} is no longer a member.`)
  return { redirect: `${GROUPS}${group}/` }
}
