import { beforeAll, describe, expect, test } from '@jest/globals'
import { endpointsOf } from '../../src/api/engine/contract.ts'
import { v2 as v2Version } from '../../src/api/v2/index.ts'
import { v3 as v3Version } from '../../src/api/v3/index.ts'
import { ROLES, type Role } from '../../src/domain/group/role.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'
import type { Rule } from './roles/rule.ts'
import { v2 } from './roles/v2.ts'
import { v3 } from './roles/v3.ts'

const world = useWorld()
let owner: Person
let stranger: Person
let team: number
const members = new Map<Role, Person>()

beforeAll(async () => {
  owner = await world.person({ isDeveloper: true })
  stranger = await world.person()
  team = (await owner.post('/api/v2/groups/', { json: { name: 'Team' } })).body.id
  for (const role of ROLES) {
    const person = await world.person()
    members.set(role, person)
    await owner.put(`/api/v2/groups/${team}/members/`, { json: { email: person.actor.email, roles: role } })
  }
})

const ONE_PAGE = {
  title: 'One',
  form: [
    { type: 'page', children: [{ idname: 'text-response', id: 'a', title: 'a', children: [{ type: 'string' }] }] },
  ],
}

/** A survey that the team has, with what the rule wants to be there. */
async function scene(rule: Rule) {
  const survey = await makeSurvey(owner, ONE_PAGE)
  await owner.put(`/api/v2/surveys/${survey}/groups/`, { json: { group: team } })
  return { survey, params: { team, survey_id: survey, ...(await rule.params?.(owner, survey)) } }
}

type Scene = Awaited<ReturnType<typeof scene>>

describe.each([
  { ...v2Version, rules: v2 },
  { ...v3Version, rules: v3 },
])('$prefix', ({ prefix, contract, rules }) => {
  const endpoints = endpointsOf(contract)

  test('has a rule for every operation and none besides', () => {
    expect(Object.keys(rules).sort()).toEqual(endpoints.map(({ operationId }) => operationId).sort())
  })

  test('what names a survey asks for a role', () => {
    const named = endpoints.filter(({ path }) => path.includes('{survey_id}'))
    const free = named.filter(({ operationId }) => ['own', 'apart'].includes(rules[operationId]!.may as string))
    expect(free.map(({ operationId }) => operationId)).toEqual([])
  })

  const asked = endpoints.filter(({ operationId }) => rules[operationId] && rules[operationId].may !== 'apart')
  test.each(asked)('$operationId', async ({ operationId, method, path }) => {
    const rule = rules[operationId]!
    const call = async (who: Person, { survey, params: given }: Scene) => {
      const params = { ...given, ...(await rule.brings?.(who)) }
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => String((params as Record<string, unknown>)[name]))
      const query = rule.query?.(survey) ?? ''
      return who.send(method.toUpperCase(), `${prefix}${filled}${query}`, rule.sent?.(survey, params))
    }
    const may = (role: Role) => rule.may === 'everybody' || (Array.isArray(rule.may) && rule.may.includes(role))
    const untouched = await scene(rule)
    const missing = { operationId, who: 'stranger', status: 404 }
    expect({ operationId, who: 'stranger', status: (await call(stranger, untouched)).status }).toEqual(missing)
    for (const role of ROLES.filter((one) => !may(one))) {
      const { status, body } = await call(members.get(role)!, untouched)
      const refused = rule.may === 'own' ? { status: 404 } : { status: 403, code: 'forbidden' }
      expect({ role, status, ...(rule.may !== 'own' && { code: body?.code }) }).toEqual({ role, ...refused })
    }
    const { status: done } = await call(owner, untouched)
    if (rule.owner) expect(done).toBe(rule.owner)
    else expect(done).toBeLessThan(300)
    for (const role of ROLES.filter(may)) {
      const { status, text } = await call(members.get(role)!, await scene(rule))
      expect({ role, text: status < 300 ? '' : text }).toEqual({ role, text: '' })
    }
  })
})
