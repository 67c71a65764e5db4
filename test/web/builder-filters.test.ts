import { describe, expect, test } from '@jest/globals'
import { cascade, cascadeSurvey } from '../support/cascade.ts'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { fieldsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()

type Json = Record<string, unknown>

const plain = (idname: string, id: string, ...labels: string[]) => ({
  idname,
  id,
  title: `${id}?`,
  children: [{ choices: labels.map((label) => ({ label })) }],
})
const PLAIN = cascadeSurvey([
  [plain('single-choice', 'country', 'Germany', 'Austria'), plain('ranking', 'order', 'A', 'B')],
  [plain('dropdown-choice', 'region', 'Bavaria', 'Tyrol', 'Other')],
])
const optionOf = (structure: { form: { children: { children: Json[] }[] }[] }, page: number, index: number) =>
  structure.form[page]!.children[index]!.children[0]! as { choices: Json[]; choiceFilter?: Json[] }

describe('the choices that depend on an earlier answer, in the builder [spec 6.15]', () => {
  test('are ticked in a table of choices and answers', async () => {
    const { browser, root, draft, page, publish, published } = await openBuilder(world, PLAIN)
    const path = `${root}filter/?id=region`
    expect(page.text).toContain(`href="${path}"`)
    const empty = await browser.get(path)
    const subjects = /<select[^>]*name="add"[\s\S]*?<\/select>/.exec(empty.text)![0]
    expect([...subjects.matchAll(/value="([^"]*)"/g)].map(([, name]) => name)).toEqual(['', 'country'])
    const added = await browser.post(path, { do: 'add', add: 'country' })
    expect(added.to).toBe(`${path}&by=country`)
    const form = await browser.get(added.to!)
    expect(form.text).toContain('Tick the answers for which a choice is shown.')
    const fields = fieldsIn(form)
    const saved = await browser.post(path, { ...fields, do: 'save', 'cell.0.0': '1', 'cell.0.1': '2' })
    expect(saved.to).toMatch(/#question-region$/)
    expect(optionOf(await draft(), 1, 0)).toMatchObject({
      choiceFilter: [{ question: 'country', attribute: 'country' }],
      choices: [
        { label: { en: 'Bavaria' }, attributes: { country: '1' } },
        { label: { en: 'Tyrol' }, attributes: { country: '2' } },
        { label: { en: 'Other' } },
      ],
    })
    // The codes are those that attributes name, and stay when choices move.
    expect(optionOf(await draft(), 0, 0).choices).toMatchObject([{ code: '1' }, { code: '2' }])
    expect(unescapeHtml((await browser.get(root)).text)).toContain('Choices depend on “country?”')
    await publish()
    expect(optionOf(await published(), 1, 0).choices[2]).not.toHaveProperty('attributes')
  })

  test('can have several answers and several questions, and be shown always again', async () => {
    const { browser, root, draft } = await openBuilder(world, cascadeSurvey([Object.values(cascade())]))
    const path = `${root}filter/?id=region`
    const form = await browser.get(path)
    expect(form.text).toMatch(/name="cell\.0\.3" value="de" checked[^>]*>[\s\S]*name="cell\.0\.3" value="at" checked/)
    const fields = Object.entries(fieldsIn(form)).filter(([name]) => name !== 'cell.0.3')
    const ticks = ['cell.0.0=mc', 'cell.0.3=de', 'cell.0.3=at', 'do=save'].map(
      (one) => one.split('=') as [string, string],
    )
    await browser.post(path, [...fields.filter(([name]) => name !== 'do'), ...ticks])
    const { choices } = optionOf(await draft(), 0, 1)
    expect(choices.map(({ attributes }) => attributes)).toEqual([
      { country: ['de', 'mc'] },
      { country: 'de' },
      { country: 'at' },
      { country: ['de', 'at'] },
    ])
    const towns = await browser.get(`${root}filter/?id=town`)
    expect(towns.text).toContain('A choice must match all questions.')
    await browser.post(`${root}filter/?id=town`, { ...fieldsIn(towns), do: 'remove.0' })
    expect(optionOf(await draft(), 0, 2)).toMatchObject({
      choiceFilter: [{ question: 'region', attribute: 'region' }],
      choices: [{ attributes: { region: 'by' } }, {}, {}, {}],
    })
    const last = await browser.get(`${root}filter/?id=town`)
    await browser.post(`${root}filter/?id=town`, { ...fieldsIn(last), do: 'remove.0' })
    const town = optionOf(await draft(), 0, 2)
    expect(town).not.toHaveProperty('choiceFilter')
    expect(town.choices.some((choice) => 'attributes' in choice)).toBe(false)
  })

  test('of long lists are typed, by label or code', async () => {
    const states = Array.from({ length: 50 }, (_, index) => ({ label: `State ${index}`, code: `s${index}` }))
    const counties = Array.from({ length: 1000 }, (_, index) => ({
      label: `County ${index}`,
      attributes: { state: index === 5 ? '' : `s${index % 50}`, kept: 'x' },
    }))
    const { browser, root, draft } = await openBuilder(world, {
      title: 'T',
      form: [
        {
          children: [
            { idname: 'dropdown-choice', id: 'state', title: 'State', choices: states },
            {
              idname: 'dropdown-choice',
              id: 'county',
              title: 'County',
              choices: counties,
              choiceFilter: [{ question: 'state', attribute: 'state' }],
            },
          ],
        },
      ],
    })
    const path = `${root}filter/?id=county`
    const before = (await draft()).form[0].children[1]
    const form = await browser.get(path)
    const fields = fieldsIn(form)
    expect(form.text).toContain('<option value="State 49">')
    expect(fields['cell.0.0']).toBe('State 0')
    await browser.post(path, { ...fields, do: 'save' })
    expect((await draft()).form[0].children[1]).toEqual(before)
    const wrong = await browser.post(path, { ...fields, 'cell.0.7': 'Texas', do: 'save' })
    expect([wrong.status, unescapeHtml(wrong.text)]).toEqual([
      422,
      expect.stringContaining('County 7: “Texas” is not an answer to the question.'),
    ])
    await browser.post(path, { ...fields, 'cell.0.7': 'state 3; s4', 'cell.0.8': '', do: 'save' })
    const after = (await draft()).form[0].children[1]
    const { choices } = after.children[0].choices ? after.children[0] : after
    expect(choices[5].attributes).toEqual({ state: '', kept: 'x' })
    expect(choices[7].attributes).toEqual({ state: ['s3', 's4'], kept: 'x' })
    expect(choices[8].attributes).toEqual({ kept: 'x' })
  })

  test('are refused without an answer, and if the question was changed meanwhile', async () => {
    const { browser, root } = await openBuilder(world, PLAIN)
    const path = `${root}filter/?id=region`
    const fields = fieldsIn(await browser.get(`${path}&by=country`))
    const empty = await browser.post(path, { ...fields, do: 'save' })
    expect([empty.status, unescapeHtml(empty.text)]).toEqual([
      422,
      expect.stringContaining('“country?”: give at least one choice an answer'),
    ])
    await browser.post(path, { ...fields, 'cell.0.0': '1', do: 'save' })
    const late = await browser.post(path, { ...fields, 'cell.0.0': '2', do: 'save' })
    expect(late.status).toBe(422)
  })

  test('keep an author from deleting or moving the earlier question, and follow its short name', async () => {
    const { browser, root, press, draft } = await openBuilder(world, cascadeSurvey([Object.values(cascade())]))
    const deleted = await press('delete', { question: 'country' })
    expect(unescapeHtml(deleted.text)).toContain(
      '“Region” has choices that depend on a question that would no longer exist. Change them first.',
    )
    expect(unescapeHtml((await press('down', { question: 'country' })).text)).toContain(
      '“Region” has choices that depend on a question that would come after it. Change them first.',
    )
    const name = async (identifier: string) => {
      const fields = fieldsIn(await browser.get(`${root}question/?id=country`))
      await browser.post(`${root}question/?id=country`, { ...fields, identifier, do: 'save' })
    }
    await name('land')
    const fields = fieldsIn(await browser.get(`${root}filter/?id=town`))
    await browser.post(`${root}filter/?id=town`, {
      ...fields,
      'filter.0.question': 'land',
      'cell.0.0': 'de',
      'cell.1.0': 'by',
      do: 'save',
    })
    await name('nation')
    expect(optionOf(await draft(), 0, 2).choiceFilter).toMatchObject([{ question: 'nation' }, { question: 'region' }])
  })

  test('follow the code of an answer, which stays if an author clears it', async () => {
    const { browser, root, draft } = await openBuilder(world, cascadeSurvey([Object.values(cascade())]))
    const save = async (fields: Record<string, string>) => {
      const form = fieldsIn(await browser.get(`${root}question/?id=country`))
      const saved = await browser.post(`${root}question/?id=country`, { ...form, ...fields, do: 'save' })
      expect(saved.to).toBeDefined()
    }
    const attributes = async (index: number) => optionOf(await draft(), 0, index).choices.map((one) => one.attributes)
    await save({ 'choice.0.code': 'at', 'choice.1.code': 'ö' })
    expect(await attributes(1)).toEqual([
      { country: 'at' },
      { country: 'at' },
      { country: 'ö' },
      { country: ['at', 'ö'] },
    ])
    expect((await attributes(2))[2]).toEqual({ country: 'ö', region: 't' })
    await save({ 'choice.0.code': '' })
    expect(optionOf(await draft(), 0, 0).choices[0]).toMatchObject({ code: 'at' })
  })

  test('survive every save of the question', async () => {
    const { browser, root, draft, press } = await openBuilder(world, cascadeSurvey([Object.values(cascade())]))
    const before = await draft()
    const fields = fieldsIn(await browser.get(`${root}question/?id=region`))
    await browser.post(`${root}question/?id=region`, { ...fields, title: 'Which region?', do: 'down.choice.0' })
    const [first, second] = optionOf(await draft(), 0, 1).choices
    expect([first, second]).toMatchObject([
      { code: 'sn', attributes: { country: 'de' } },
      { code: 'by', attributes: { country: 'de' } },
    ])
    await press('duplicate', { question: 'region' })
    expect(optionOf(await draft(), 0, 2)).toMatchObject({ choiceFilter: optionOf(before, 0, 1).choiceFilter })
  })
})
