import { removeMember, setMember } from '../../../domain/group/commands.ts'
import { Problem } from '../../../domain/problem.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH, groupPage } from './show.ts'

/** Adds a member, or changes the roles of a member. */
export async function saveMember(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const group = parseId(params.group)
  try {
    const { name, email } = await request.write((context) =>
      setMember(context, group, {
        email: (formValue(form, 'email') ?? '').trim(),
        roles: formValues(form, 'roles').join(' '),
      }),
    )
    request.flash(t('Roles of {name} saved.', { name: name || email }))
  } catch (error) {
    const problem = request.toProblem(error)
    if (problem instanceof Problem && problem.code === 'user_not_found')
      return groupPage(request, {
        errors: new Map([['email', t('No account uses this email address.')]]),
        general: undefined,
      })
    return groupPage(request, fieldErrorsOf(problem, ['email', 'roles']))
  }
  return { redirect: `${GROUPS_PATH}${group}/` }
}

export async function removeGroupMember(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  const email = formValue(request.form, 'email') ?? ''
  await request.write((context) => removeMember(context, group, email))
  request.flash(t('{email} removed from the group.', { email }))
  return { redirect: `${GROUPS_PATH}${group}/` }
}
