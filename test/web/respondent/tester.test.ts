import { describe, expect, it } from '@jest/globals'
import { pageOf, responsesTo, surveyOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'
import { Respondent } from '../custom-authentication/survey.ts'

const world = useWorld()

const NOTICE = 'This survey is closed. You can see it because you have permission to test it'
const pages = { title: 'In the making', form: [pageOf(text('a')), pageOf(text('b'))] }

async function signedIn({ actor, password }: Person): Promise<Respondent> {
  const respondent = new Respondent(world.base)
  await respondent.signIn(actor.username, password)
  return respondent
}

/** Creates a closed survey and a group member with these roles. */
async function shared(roles: string, settings = {}, live = false) {
  const [owner, member] = [await world.person(), await world.person()]
  const { survey, path } = await surveyOf(world, owner, pages, settings, { live })
  const { id: group } = (await owner.post('/api/v2/groups/', { json: { name: 'Team' } })).body
  await owner.put(`/api/v2/groups/${group}/members/`, { json: { email: member.actor.email, roles } })
  await owner.put(`/api/v3/surveys/${survey.id}/groups/`, { json: { group } })
  return { owner, member, survey, path }
}

describe('a survey that is closed', () => {
  it('shows every page with a notice to a member with the role Test', async () => {
    const { member, survey, path } = await shared('test')
    const tester = await signedIn(member)
    const first = await tester.open(path)
    expect(first.text).toContain(NOTICE)
    const second = await tester.fill(first, { a: '1' })
    expect(second.text).toContain('Text b')
    expect(second.text).toContain(NOTICE)
    const end = await tester.fill(second, { b: '2' })
    expect(end.text).toContain('Thank you!')
    expect(await responsesTo(world, survey.id)).toMatchObject([{ completed: 1, answers: { a: '1', b: '2' } }])
  })

  it.each([
    ['by hand', {}, false],
    ['because it is too early', { open_at: '2030-01-01T00:00:00Z' }, true],
    ['because it is too late', { close_at: '2020-01-01T00:00:00Z' }, true],
  ])('opens for its owner when closed %s', async (_, settings, live) => {
    const { owner, path } = await shared('test', settings, live)
    expect((await (await signedIn(owner)).open(path)).text).toContain('Text a')
  })

  it('stays closed for members with other roles, other users and signed-out users', async () => {
    const { owner, member, survey, path } = await shared('edit publish deploy analyze')
    const stranger = await world.person()
    for (const person of [member, stranger]) {
      const reply = await (await signedIn(person)).open(path)
      expect(reply.text).toContain('This survey is not live at the moment.')
      expect(reply.text).not.toContain(NOTICE)
    }
    const tester = await signedIn(owner)
    const first = await tester.open(path)
    await tester.post('/accounts/logout/')
    expect(await tester.fill(first, { a: '1' })).toMatchObject({ status: 403 })
    expect(await responsesTo(world, survey.id)).toEqual([])
  })

  it('requires the password of testers too, and shows no notice while the survey is open', async () => {
    const open = await shared('test', {}, true)
    expect((await (await signedIn(open.member)).open(open.path)).text).not.toContain(NOTICE)
    const { member, path, owner, survey } = await shared('test')
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { password: 'open sesame' } })
    expect((await (await signedIn(member)).open(path)).text).toContain('This survey requires a password')
  })

  it('stays closed for its owner if it has no questions', async () => {
    const owner = await world.person()
    const { path } = await surveyOf(world, owner, { title: 'Empty' })
    expect((await (await signedIn(owner)).open(path)).text).toContain('This survey is not live or not available.')
  })
})
