import { removeMember, setMember } from '../../../domain/group/members.ts'
import { Problem } from '../../../domain/problem.ts'
import { faultsOf } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import { all, one } from '../../respondent/input.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { GROUPS, groupPage } from './show.ts'

/** Takes somebody in, or gives who is in it other roles. */
export async function saveMember(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const group = idIn(params.group)
  try {
    const { name, email } = await request.write((context) =>
      setMember(context, group, { email: (one(form, 'email') ?? '').trim(), roles: all(form, 'roles').join(' ') }),
    )
    request.flash(`The roles of ${name || email} are saved.`)
  } catch (error) {
    const known = request.toProblem(error)
    if (known instanceof Problem && known.code === 'user_not_found')
      return groupPage(request, {
        faults: new Map([['email', 'Nobody here has an account with this address.']]),
        general: undefined,
      })
    return groupPage(request, faultsOf(known, ['email', 'roles']))
  }
  return { redirect: `${GROUPS}${group}/` }
}

export async function dropMember(request: SignedInRequest): Promise<PageResult> {
  const group = idIn(request.params.group)
  const email = one(request.form, 'email') ?? ''
  await request.write((context) => removeMember(context, group, email))
  request.flash(`${email} is no longer a member.`)
  return { redirect: `${GROUPS}${group}/` }
}
