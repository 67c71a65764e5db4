import { describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { addQuestion, openBuilder } from './builder-owner.ts'

const world = useWorld()

const choice = (id: string, title: string, labels: string[], more: object = {}) => ({
  idname: 'single-choice',
  id,
  title,
  children: [{ choices: labels.map((label) => ({ label })) }],
  ...more,
})
const AGE = choice('age', 'How old are you?', ['Below 18', '18 or more'])
const never = {
  all: [
    { question: 'age', op: 'eq', value: 0 },
    { question: 'age', op: 'eq', value: 1 },
  ],
}

describe('the check of a draft', () => {
  test('lists each finding with a link to its place, and is linked from the builder', async () => {
    const { browser, root, page } = await openBuilder(world, {
      title: { en: 'Club', cs: 'Klub' },
      languages: [
        { code: 'en', name: 'English', isDefault: true },
        { code: 'cs', name: 'Čeština' },
      ],
      form: [
        { children: [AGE, { idname: 'email', id: 'mail' }] },
        { title: 'Minors', condition: never, children: [choice('why', 'Why?', ['Choice 1', 'Other'])] },
      ],
      quotas: [{ name: 'Adults', when: never, limit: 10, action: 'close' }],
    })
    expect(page.text).toContain(`href="${root}check/"`)
    const { text } = await browser.get(`${root}check/`)
    const findings = [...text.matchAll(/<li><a href="([^"]*)">([^<]*)<\/a>: ([^<]*)/g)].map(([, ...parts]) => parts)
    expect(findings).toEqual([
      [`${root}#question-mail`, 'Untitled question', 'The question has no text. Write what is asked.'],
      [
        `${root}#question-why`,
        'Why?',
        '“Choice 1” is the label of a new choice. Write the label that respondents should see.',
      ],
      [`${root}#page-2`, 'Page 2: Minors', 'No answers fulfil all these rules together.'],
      [`${root}quotas/`, 'Quota “Adults”', 'No answers fulfil all these rules together.'],
      [`${root}languages/`, 'Čeština', expect.stringContaining('Canvass has no buttons and messages in Čeština.')],
      [`${root}#question-age`, 'How old are you?', '“How old are you?”'],
      ...['Below 18', '18 or more'].map((label) => [`${root}#question-age`, 'How old are you?', `“${label}”`]),
      [`${root}#page-2`, 'Page 2: Minors', '“Minors”'],
      ...['Why?', 'Choice 1', 'Other'].map((label) => [`${root}#question-why`, 'Why?', `“${label}”`]),
    ])
    expect(text).toContain('Not translated into Čeština: 7 texts')
    const german = (await browser.get(`${root}check/`, { 'accept-language': 'de' })).text
    expect(german).toContain('Die Frage hat keinen Text. Schreiben Sie, was gefragt wird.')
    expect(german).toContain('Vor dem Veröffentlichen beheben')
  })

  test('says of a finished survey that nothing is unfinished, also to a member with the role Test only', async () => {
    const { browser, root, person, id } = await openBuilder(world, { title: 'Done', form: [{ children: [AGE] }] })
    expect((await browser.get(`${root}check/`)).text).toContain('Nothing is unfinished.')
    const tester = await world.person()
    await shareWith(person, id, tester, 'Test')
    expect((await (await signInAs(tester)).get(`${root}check/`)).status).toBe(200)
    expect((await (await signInAs(await world.person())).get(`${root}check/`)).status).toBe(404)
  })
})

describe('publishing in the browser', () => {
  test('is refused for a question without a text, and for a survey without questions', async () => {
    const { browser, root, press, publish, published, draft } = await openBuilder(world, {
      title: 'T',
      form: [{ children: [AGE] }],
    })
    await press('add', { page: '0', kind: 'email' })
    const refused = await publish()
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Nothing was published.')
    expect(refused.text).not.toContain('Publish anyway')
    const ids = (await draft()).form[0].children.map(({ id }: { id: string }) => id)
    await press('delete', { question: ids[0] })
    await press('delete', { question: ids[1] })
    expect((await publish()).text).toContain('The survey has no question that respondents can answer.')
    expect((await browser.get(root)).text).toMatch(/<button class="primary small" disabled>Publish/)
    expect((await published()).form[0].children).toHaveLength(1)
  })

  test('asks once about everything else that is unfinished', async () => {
    const { browser, root, publish, publishAnyway, published } = await openBuilder(world, {
      title: 'T',
      form: [{ children: [AGE] }],
    })
    await addQuestion(browser, root, 'single-choice', 'Which drink?')
    const asked = await publish()
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('Publish this survey as it is?')
    expect(asked.text).toContain('“Choice 2” is the label of a new choice.')
    expect((await published()).form[0].children).toHaveLength(1)
    expect((await publishAnyway()).to).toBe(root)
    expect((await published()).form[0].children).toHaveLength(2)
    // The author has seen this finding, so the next publication does not ask again.
    await addQuestion(browser, root, 'email', 'Address?')
    expect((await publish()).to).toBe(root)
    expect((await published()).form[0].children).toHaveLength(3)
  })

  test('of an empty or unfinished structure is refused in the JSON editor, and by restoring a version', async () => {
    const { browser, root, person, id, published } = await openBuilder(world, { title: 'T' })
    await person.put(`/api/v3/surveys/${id}/structure/`, { json: { title: 'T', form: [{ children: [AGE] }] } })
    for (const form of [[], [{ children: [AGE, { idname: 'email', id: 'mail' }] }]]) {
      const structure = JSON.stringify({ title: 'T', form })
      const refused = await browser.post(`${root}json/`, { version: '2', structure })
      expect(refused.status).toBe(409)
      expect(refused.text).toContain('Fix before you publish')
    }
    await browser.post(`${root}versions/1/restore/`, {})
    expect((await browser.get(`${root}versions/`)).text).toContain(
      'Version 1 has no questions, so it was not restored.',
    )
    expect((await published()).form[0].children).toHaveLength(1)
    const saved = await browser.post(`${root}json/`, {
      version: '2',
      structure: '{"title":"U","form":[]}',
      as: 'draft',
    })
    expect(saved.status).toBe(303)
  })
})
