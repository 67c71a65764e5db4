import { describe, expect, it } from '@jest/globals'
import { addSurvey, hiddenValue, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const languages = [
  { code: 'en', name: 'English', isDefault: true },
  { code: 'fr', name: 'Français', isDefault: false },
]
const threePages = {
  title: 'Breakfast',
  description: 'All about bread.',
  form: [pageOf(text('a', { required: true })), { ...pageOf(text('b')), title: 'Cheese' }, pageOf(text('c'))],
}

/** Creates a survey, and opens its first two pages. */
async function openTwoPages(structure: object) {
  const { survey, path } = await addSurvey(await world.person(), structure)
  const first = await world.anonymous.get(path)
  const reply = await submitForm(world.anonymous, first, { a: 'x' })
  const responsePath = `${path}${hiddenValue(first, '_key')}/`
  return { survey, responsePath, first, second: await world.anonymous.get(reply.headers.get('location')!) }
}

describe('display options of a structure [spec 6.2]', () => {
  it('does not show title and description after the first page if firstPageTitleDescription is true', async () => {
    const { first, second } = await openTwoPages({ ...threePages, firstPageTitleDescription: true })
    expect(first.text).toContain('<h1>Breakfast</h1><p class="description">All about bread.</p>')
    expect(second.text).toContain('<h1 class="hidden">Breakfast</h1></header>')
  })

  it('shows title and description on every page if firstPageTitleDescription is false', async () => {
    const { first, second } = await openTwoPages({ ...threePages, firstPageTitleDescription: false })
    for (const page of [first, second])
      expect(page.text).toContain('<h1>Breakfast</h1><p class="description">All about bread.</p>')
  })

  it('shows the title on every page and the description on the first one by default', async () => {
    const { first, second } = await openTwoPages(threePages)
    expect(first.text).toContain('<p class="description">All about bread.</p>')
    expect(second.text).toContain('<h1>Breakfast</h1></header>')
  })

  it('shows the current language above a collapsed list of languages if languageDisplayStyle is dropdown', async () => {
    const { first } = await openTwoPages({ ...threePages, languages, languageDisplayStyle: 'dropdown' })
    expect(first.text).toMatch(/<details><summary><span class="hidden">Language: <\/span>English<\/summary><ul>/)
    const byDefault = await openTwoPages({ ...threePages, languages })
    expect(byDefault.first.text).not.toContain('<details>')
    expect(byDefault.first.text).toContain('Français')
  })

  it('shows any number of languages side by side if languageDisplayStyle is list', async () => {
    const otherLanguages = ['de', 'es', 'it', 'nl'].map((code) => ({ code, name: code }))
    const { first } = await openTwoPages({
      ...threePages,
      languages: [...languages, ...otherLanguages],
      languageDisplayStyle: 'list',
    })
    expect(first.text).not.toContain('<details>')
    const byDefault = await openTwoPages({ ...threePages, languages: [...languages, ...otherLanguages] })
    expect(byDefault.first.text).toContain('<details>')
  })

  it('applies the width of a question, and shows a table in full width', async () => {
    const grid = {
      idname: 'single-choice-grid',
      id: 'g',
      width: 50,
      choices: [{ label: 'X' }],
      children: [{ type: 'single' }],
    }
    const date = { idname: 'datetime', id: 'd', width: 20, children: [{ type: 'datetime', format: 'date' }] }
    const { first } = await openTwoPages({
      title: 'Widths',
      form: [pageOf({ ...text('a'), width: 50 }, { ...text('b'), width: 33 }, { ...text('c'), width: 5 }, date, grid)],
    })
    expect(first.text).toContain('<div class="columns">')
    expect([...first.text.matchAll(/class="question is-\S+ (span-\d+)/g)].map(([, span]) => span)).toEqual([
      'span-6',
      'span-4',
      'span-3',
      'span-4',
      'span-12',
    ])
    const fullWidth = await openTwoPages({ title: 'Full', form: [pageOf({ ...text('a'), width: 100 })] })
    expect(fullWidth.first.text).not.toContain('columns')
  })

  it('links to every reached page and keeps the entered values if jumping is true', async () => {
    const { survey, responsePath, first, second } = await openTwoPages({ ...threePages, jumping: true })
    expect(first.text).not.toContain('class="jumps"')
    expect(second.text).toContain('aria-label="Page 1 of 3"')
    expect(second.text).toContain('aria-current="page" aria-label="Page 2 of 3: Cheese"')
    expect(second.text).not.toContain('aria-label="Page 3 of 3"')
    const thirdPage = await submitForm(world.anonymous, second, { b: 'Brie' })
    const lastPage = await world.anonymous.get(thirdPage.headers.get('location')!)
    const backward = await submitForm(world.anonymous, lastPage, { c: 'half', _go: '1' })
    expect(backward.headers.get('location')).toBe(`${responsePath}?page=1`)
    const firstPage = await world.anonymous.get(`${responsePath}?page=1`)
    const invalid = await submitForm(world.anonymous, firstPage, { a: '', _go: '3' })
    expect([invalid.status, invalid.text.includes('An answer to this question is required.')]).toEqual([200, true])
    const forward = await submitForm(world.anonymous, firstPage, { a: 'y', _go: '3' })
    expect(forward.headers.get('location')).toBe(`${responsePath}?page=3`)
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { a: 'y', b: 'Brie', c: 'half' }, completed: 0 },
    ])
  })

  it('does not jump past unanswered pages, and shows no links if back_button is off', async () => {
    const { responsePath, second } = await openTwoPages({ ...threePages, jumping: true })
    const jump = await submitForm(world.anonymous, second, { b: 'x', _go: '9' })
    expect(jump.headers.get('location')).toBe(`${responsePath}?page=2`)
    const { path } = await addSurvey(await world.person(), { ...threePages, jumping: true }, { back_button: false })
    const reply = await submitForm(world.anonymous, await world.anonymous.get(path), { a: 'x' })
    expect((await world.anonymous.get(reply.headers.get('location')!)).text).not.toContain('class="jumps"')
  })
})

describe('display options of a question [spec 6.5]', () => {
  it('shuffles the choices of a yes-no question with randomize, and keeps their values', async () => {
    const question = {
      idname: 'boolean-choice',
      id: 'yes',
      title: 'Yes?',
      children: [{ type: 'boolean', randomize: true }],
    }
    const { path } = await addSurvey(await world.person(), { title: 'Mixed', form: [pageOf(question)] })
    const orders = new Set<string>()
    for (let visit = 0; visit < 40 && orders.size < 2; visit++) {
      const { text: page } = await world.anonymous.get(path)
      orders.add([...page.matchAll(/value="(true|false)"><label[^>]*>(Yes|No)/g)].map(([, v, l]) => `${l}=${v}`).join())
    }
    expect([...orders].sort()).toEqual(['No=false,Yes=true', 'Yes=true,No=false'])
  })

  it('shows a text field for the choice other of a ranking', async () => {
    const ranking = {
      idname: 'ranking',
      id: 'r',
      title: 'Rank',
      children: [{ type: 'ranking', choices: [{ label: 'Tea' }, { label: 'Another', other: true }] }],
    }
    const { survey, path } = await addSurvey(await world.person(), { title: 'R', form: [pageOf(ranking)] })
    const page = await world.anonymous.get(path)
    expect(page.text).toContain('name="r\\other"')
    await submitForm(world.anonymous, page, { 'r\\rank\\0': '2', 'r\\rank\\1': '1', 'r\\other': 'Cocoa' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { r: [1, 0], 'r\\other': 'Cocoa' } }])
  })

  it('stores the text of any choice with a text field; if a text is entered and no choice is selected, selects the first choice with a text field', async () => {
    const choices = [{ label: 'Tea' }, { label: 'Some juice', other: true }, { label: 'Something else', other: true }]
    const question = { ...single('d', []), children: [{ type: 'single', choices }] }
    const { survey, path } = await addSurvey(await world.person(), { title: 'D', form: [pageOf(question)] })
    await submitForm(world.anonymous, await world.anonymous.get(path), { d: '2', 'd\\other': 'Cocoa' })
    await submitForm(world.anonymous, await world.anonymous.get(path), { d: '0', 'd\\other': 'Cocoa' })
    await submitForm(world.anonymous, await world.anonymous.get(path), { d: '', 'd\\other': 'Pear' })
    expect((await storedResponses(world, survey.id)).map(({ answers }) => answers)).toEqual([
      { d: 2, 'd\\other': 'Cocoa' },
      { d: 0 },
      { d: 1, 'd\\other': 'Pear' },
    ])
  })

  it('shows the labels of a net promoter question whose choices are in a category', async () => {
    const categories = [
      {
        label: 'All',
        choices: [
          { label: 'Never ever', score: 0 },
          { label: 'Perhaps', score: 5 },
        ],
      },
    ]
    const question = { idname: 'net-promoter', id: 'n', title: 'N', children: [{ type: 'drill-down', categories }] }
    const { path } = await addSurvey(await world.person(), { title: 'N', form: [pageOf(question)] })
    const { text: page } = await world.anonymous.get(path)
    expect(page).toContain('>5<span class="hidden"> (Perhaps)</span>')
    expect(page).toContain('<p class="scale-ends" aria-hidden="true"><span>Never ever</span><span></span></p>')
  })
})

describe('a multiple-choice question that limits how many choices can be selected', () => {
  const choices = ['A', 'B', 'C', 'D'].map((label) => ({ label }))
  const openWith = async (limits: object, code = 'en') => {
    const question = { idname: 'multiple-choice', id: 'q', title: 'Q', children: [{ choices, ...limits }] }
    const structure = { title: 'T', languages: [{ code, name: code, isDefault: true }], form: [pageOf(question)] }
    const { path } = await addSurvey(await world.person(), structure)
    return (await world.anonymous.get(path)).text
  }

  it.each([
    [{ minSelected: 2 }, 'Choose at least 2.'],
    [{ maxSelected: 3 }, 'Choose up to 3.'],
    [{ minSelected: 1, maxSelected: 3 }, 'Choose up to 3.'],
    [{ minSelected: 2, maxSelected: 3 }, 'Choose 2 to 3.'],
    [{ minSelected: 2, maxSelected: 2 }, 'Choose exactly 2.'],
  ])('shows a hint for %j: %s', async (limits, hint) => {
    const text = await openWith(limits)
    const [, id] = new RegExp(`<p class="hint" id="([^"]*)">${hint}</p>`).exec(text) ?? []
    expect(text).toMatch(new RegExp(`<fieldset[^>]* aria-describedby="${id}"`))
  })

  it('shows the hint in the language of the survey', async () => {
    expect(await openWith({ maxSelected: 3 }, 'fr')).toContain('Choisissez-en 3 au maximum.')
  })

  it('shows no hint if every number is allowed', async () => {
    for (const limits of [{}, { minSelected: 1 }, { maxSelected: 4 }])
      expect(await openWith(limits)).not.toContain('class="hint"')
  })
})

describe('a text with a placeholder for an answer [spec 6.13]', () => {
  it.each([
    ['{{ a | default: "your day" }}', 'How was your day?', 'How was Monday?'],
    ["{{ a | default: 'it &amp; all' }}", 'How was it &amp;amp; all?', 'How was Monday?'],
    ['{{ a | default: “your day” }}', 'How was your day?', 'How was Monday?'],
    ['{{ a }}', 'How was ?', 'How was Monday?'],
  ])('shows the default if there is no answer: %s', async (placeholder, withoutAnswer, withAnswer) => {
    const question = text('b', {})
    const { path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [
        pageOf(text('a'), { ...question, title: `How was ${placeholder}?` }),
        pageOf({ ...text('c'), title: `How was ${placeholder}?` }),
      ],
    })
    const first = await world.anonymous.get(path)
    expect(first.text).toContain(withoutAnswer)
    const reply = await submitForm(world.anonymous, first, { a: 'Monday' })
    expect((await world.anonymous.get(reply.headers.get('location')!)).text).toContain(withAnswer)
  })
})
