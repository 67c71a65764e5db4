import { beforeAll, describe, expect, test } from '@jest/globals'
import { endpointsOf } from '../../../src/api/engine/contract.ts'
import type { Version } from '../../../src/api/engine/operation.ts'
import { ROLE_NAMES, type Role } from '../../../src/domain/group/group.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'
import type { Rule } from './rule.ts'

const ONE_PAGE = {
  title: 'One',
  form: [
    {
      type: 'page',
      children: [
        { idname: 'text-response', id: 'a', title: 'a', children: [{ type: 'string' }] },
        { idname: 'file-upload', id: 'photo', title: 'Photo', children: [{}] },
        { idname: 'boolean-choice', id: 'again', title: 'Again?', children: [{}] },
      ],
    },
  ],
}

/** What a role allows beside itself. */
const INCLUDED: Partial<Record<Role, readonly Role[]>> = {
  Analyze: ['Report', 'View', 'Correct', 'Export', 'Delete'],
  View: ['Report'],
  Correct: ['Report', 'View'],
  Export: ['Report', 'View'],
  Delete: ['Report', 'View'],
}

/** Tests for each operation of a version which roles can call it. Call it at the top of a test file. */
export function describeRoles(
  name: string,
  { prefix, contract }: Version,
  rules: Readonly<Record<string, Rule>>,
): void {
  const world = useWorld()
  let owner: Person
  let outsider: Person
  let team: number
  const members = new Map<Role, Person>()

  beforeAll(async () => {
    owner = await world.person({ isDeveloper: true })
    outsider = await world.person()
    team = await makeGroup(owner)
    for (const role of ROLE_NAMES) {
      const person = await world.person()
      members.set(role, person)
      await addMember(owner, team, person, role)
    }
  })

  /** Creates a survey that is shared with the team, and the objects that the rule needs. */
  async function createScene(rule: Rule) {
    const survey = await makeSurvey(owner, ONE_PAGE)
    await share(owner, survey, team)
    return { survey, params: { team, survey_id: survey, ...(await rule.params?.(owner, survey)) } }
  }
  type Scene = Awaited<ReturnType<typeof createScene>>

  describe(`roles of ${name}`, () => {
    const endpoints = endpointsOf(contract)

    test('have a rule for each operation', () => {
      expect(Object.keys(rules).sort()).toEqual(endpoints.map(({ operationId }) => operationId).sort())
    })

    test('are required for each operation on a survey', () => {
      // An email belongs to the account that sends it.
      const surveyOperations = endpoints.filter(
        ({ path }) => path.includes('{survey_id}') && !path.includes('{email_id}'),
      )
      const withoutRole = surveyOperations.filter(({ operationId }) =>
        ['private', 'account'].includes(rules[operationId]!.may as string),
      )
      expect(withoutRole.map(({ operationId }) => operationId)).toEqual([])
    })

    const tested = endpoints.filter(({ operationId }) => rules[operationId] && rules[operationId].may !== 'account')
    test.each(tested)('decide who can call $operationId', async ({ operationId, method, path }) => {
      const rule = rules[operationId]!
      const call = async (caller: Person, { survey, params: ownerParams }: Scene) => {
        const params = { ...ownerParams, ...(await rule.callerParams?.(caller)) }
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => String((params as Record<string, unknown>)[name]))
        const query = rule.query?.(survey) ?? ''
        return caller.send(method.toUpperCase(), `${prefix}${filled}${query}`, rule.request?.(survey, params))
      }
      const may = (role: Role) =>
        rule.may === 'members' ||
        (Array.isArray(rule.may) && [role, ...(INCLUDED[role] ?? [])].some((each) => rule.may.includes(each)))
      const scene = await createScene(rule)
      const missing = { operationId, caller: 'outsider', status: 404 }
      expect({ operationId, caller: 'outsider', status: (await call(outsider, scene)).status }).toEqual(missing)
      for (const role of ROLE_NAMES.filter((role) => !may(role))) {
        const { status, body } = await call(members.get(role)!, scene)
        const expected = rule.may === 'private' ? { status: 404 } : { status: 403, code: 'forbidden' }
        expect({ role, status, ...(rule.may !== 'private' && { code: body?.code }) }).toEqual({ role, ...expected })
      }
      const { status: done } = await call(owner, scene)
      if (rule.owner) expect(done).toBe(rule.owner)
      else expect(done).toBeLessThan(300)
      for (const role of ROLE_NAMES.filter(may)) {
        const { status, text } = await call(members.get(role)!, await createScene(rule))
        expect({ role, text: status < 300 ? '' : text }).toEqual({ role, text: '' })
      }
    })
  })
}
