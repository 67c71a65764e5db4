import { describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const keyOf = (text: string) => /invitations\/\?key=([\w-]+)/.exec(text)?.[1] ?? ''

describe('the page that hands surveys over', () => {
  const world = useWorld()

  test('offers chosen surveys, and the person takes them over with a new account', async () => {
    const ann = await world.person({ name: 'Ann' })
    const [tea, coffee] = [await makeSurvey(ann, { title: 'Tea' }), await makeSurvey(ann, { title: 'Coffee' })]
    const owner = await signInAs(ann)
    const share = (await owner.get(`/account/surveys/${tea}/share/`)).text
    expect(share).toContain(`href="/account/hand-over/?survey=${tea}"`)
    const page = (await owner.get(`/account/hand-over/?survey=${tea}`)).text
    expect(page).toMatch(new RegExp(`value="${tea}" checked`))
    expect(page).not.toMatch(new RegExp(`value="${coffee}" checked`))
    const none = await owner.post('/account/hand-over/', { email: 'heir@example.net', keep: 'view' })
    expect([none.status, none.text]).toEqual([422, expect.stringContaining('is required')])
    const shown = await owner.post('/account/hand-over/', {
      email: 'heir@example.net',
      keep: 'view',
      surveys: `${tea}`,
    })
    const key = keyOf(shown.text)
    expect(key).toHaveLength(43)
    const heir = new HttpBrowser(world.base)
    const offer = (await heir.get(`/accounts/invitations/?key=${key}`)).text
    for (const text of ['Take over 1 survey', 'Ann wants to hand over to you', 'Tea']) expect(offer).toContain(text)
    const taken = await heir.post('/accounts/invitations/new/', { key, password: 'correct horse battery' })
    expect([taken.status, taken.to]).toEqual([303, `/account/surveys/${tea}/`])
    expect((await heir.get(`/account/surveys/${tea}/share/`)).status).toBe(200)
    expect((await owner.get(`/account/surveys/${tea}/share/`)).status).toBe(403)
    expect((await owner.get(`/account/surveys/${tea}/responses/`)).status).toBe(200)
    expect((await owner.get('/account/hand-over/')).text).not.toContain('>Tea<')
    expect((await owner.get('/account/security/')).text).toContain('handed over by you to')
  })

  test('withdraws an offer, whose link then says so', async () => {
    const ann = await world.person({ name: 'Ann' })
    const survey = await makeSurvey(ann, { title: 'Tea' })
    const owner = await signInAs(ann)
    const key = keyOf(
      (await owner.post('/account/hand-over/', { email: 'heir@example.net', keep: '', surveys: `${survey}` })).text,
    )
    const [, id] = /hand-over\/(\d+)\/withdraw/.exec((await owner.get('/account/hand-over/')).text)!
    expect((await owner.post(`/account/hand-over/${id}/withdraw/`)).to).toBe('/account/hand-over/')
    const closed = await new HttpBrowser(world.base).get(`/accounts/invitations/?key=${key}`)
    expect([closed.status, closed.text]).toEqual([410, expect.stringContaining('Ann has withdrawn')])
  })

  test('is where the deletion of an account leads while other people work on its surveys', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const survey = await makeSurvey(ann, { title: 'Tea' })
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'edit')
    await share(ann, survey, group)
    const owner = await signInAs(ann)
    const page = (await owner.get('/account/delete/')).text
    expect(page).toContain('Other people work on surveys that you own')
    expect(page).toContain(`href="/account/hand-over/?survey=${survey}"`)
    expect(page).not.toContain('Your password')
    const forced = await owner.post('/account/delete/', { password: ann.password })
    expect([forced.status, forced.text]).toEqual([422, expect.stringContaining('Other people work on surveys')])
    expect((await bob.get(`/api/v3/surveys/${survey}/`)).status).toBe(200)
  })
})
