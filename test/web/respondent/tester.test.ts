import { describe, expect, it } from '@jest/globals'
import { shareWith } from '../../support/groups.ts'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'

const world = useWorld()

const NOTICE = 'This survey is closed. You can see it because you have permission to test it'
const structure = { title: 'Draft', form: [pageOf(text('a')), pageOf(text('b'))] }

async function signInRespondent({ actor, password }: Person): Promise<RespondentBrowser> {
  const browser = new RespondentBrowser(world.base)
  await browser.signIn(actor.username, password)
  return browser
}

/** Creates a closed survey and a group member with these roles. */
async function addSharedSurvey(roles: string, settings = {}, live = false) {
  const [owner, member] = [await world.person(), await world.person()]
  const { survey, path } = await addSurvey(owner, structure, settings, { live })
  await shareWith(owner, survey.id, member, roles)
  return { owner, member, survey, path }
}

describe('a closed survey', () => {
  it('shows every page with a notice to a member with the role Test', async () => {
    const { member, survey, path } = await addSharedSurvey('test')
    const tester = await signInRespondent(member)
    const first = await tester.open(path)
    expect(first.text).toContain(NOTICE)
    const second = await tester.submit(first, { a: '1' })
    expect(second.text).toContain('Text b')
    expect(second.text).toContain(NOTICE)
    const thanks = await tester.submit(second, { b: '2' })
    expect(thanks.text).toContain('Thank you!')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { a: '1', b: '2' } }])
  })

  it.each([
    ['with live 0', {}, false],
    ['with open_at', { open_at: '2030-01-01T00:00:00Z' }, true],
    ['with close_at', { close_at: '2020-01-01T00:00:00Z' }, true],
  ])('opens for its owner if it is closed %s', async (_, settings, live) => {
    const { owner, path } = await addSharedSurvey('test', settings, live)
    expect((await (await signInRespondent(owner)).open(path)).text).toContain('Text a')
  })

  it('stays closed for members with other roles, other users and signed-out users', async () => {
    const { owner, member, survey, path } = await addSharedSurvey('edit publish deploy analyze')
    for (const person of [member, await world.person()]) {
      const reply = await (await signInRespondent(person)).open(path)
      expect(reply.text).toContain('This survey is not open at the moment.')
      expect(reply.text).not.toContain(NOTICE)
    }
    const tester = await signInRespondent(owner)
    const first = await tester.open(path)
    await tester.post('/accounts/logout/')
    expect(await tester.submit(first, { a: '1' })).toMatchObject({ status: 403 })
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('also requires the password from testers; while the survey is open, testers see no notice', async () => {
    const open = await addSharedSurvey('test', {}, true)
    expect((await (await signInRespondent(open.member)).open(open.path)).text).not.toContain(NOTICE)
    const { member, path, owner, survey } = await addSharedSurvey('test')
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { password: 'open sesame' } })
    expect((await (await signInRespondent(member)).open(path)).text).toContain('This survey requires a password')
  })

  it('stays closed for its owner if it has no questions', async () => {
    const owner = await world.person()
    const { path } = await addSurvey(owner, { title: 'Empty' })
    expect((await (await signInRespondent(owner)).open(path)).text).toContain(
      'This survey is not live or not available.',
    )
  })
})
