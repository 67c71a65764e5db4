import { beforeAll, describe, expect, test } from '@jest/globals'
import { exportSample, KEYS, type Sample } from '../../support/export-sample.ts'
import { answersIn, META } from '../../support/exports.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let sample: Sample
beforeAll(async () => {
  sample = await exportSample(world)
})

const get = (query = '') => sample.ann.get(`/api/v3/surveys/${sample.survey.id}/csv/${query}`)
const cells = async (query: string) => answersIn(await get(query))

describe('exportCsv', () => {
  test('writes choice labels instead of indices with include_labels [spec 7.10]', async () => {
    const { lines } = await cells('?include_labels=true')
    expect(lines[0]).toEqual(['Zoë, "Z"', 'Red', '', 'Tea', '<b>Milk</b>', 'Good', '', '2', '1', 'Yes', '10'])
    expect(lines[1]).toEqual(['<p>a < b</p>\nline 2', 'Another', '=1+1', '', '<b>Milk</b>', '', '', '', '', 'No', ''])
  })

  test('writes scores instead of labels with score_based [spec 7.10]', async () => {
    const { lines } = await cells('?score_based=on&include_labels=on')
    expect(lines[0]).toEqual(['Zoë, "Z"', '5', '', '1', '2', '2', '', '2', '1', '1', '10'])
    expect(lines[1]!.slice(1)).toEqual(['3', '=1+1', '', '2', '', '', '', '', '0', ''])
  })

  test('replaces newline characters with escape_newline [spec 7.10]', async () => {
    expect((await cells('?escape_newline=1')).lines[1]![0]).toBe('<p>a < b</p>\\nline 2')
  })

  test('removes HTML tags from answers with strip_html [spec 7.10]', async () => {
    const { lines } = await cells('?strip_html=1&include_labels=1')
    expect(lines[1]!.slice(0, 5)).toEqual(['a < b\nline 2', 'Another', '=1+1', '', 'Milk'])
  })

  test('with formula_guard, protects cells that a spreadsheet would evaluate', async () => {
    expect((await cells('?formula_guard=1')).lines[1]![2]).toBe("'=1+1")
    expect((await cells('?formula_guard=1&score_based=1')).lines[0]![1]).toBe('5')
  })

  test('with bom, starts the file with a UTF-8 byte order mark', async () => {
    const response = await fetch(`${world.base}/api/v3/surveys/${sample.survey.id}/csv/?bom=1`, {
      headers: { authorization: sample.ann.authorization! },
    })
    expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 4)]).toEqual([
      0xef,
      0xbb,
      0xbf,
      '_'.charCodeAt(0),
    ])
  })

  test('writes a file for Excel with tab_separated [spec 7.10]', async () => {
    const response = await fetch(`${world.base}/api/v3/surveys/${sample.survey.id}/csv/?tab_separated=1`, {
      headers: { authorization: sample.ann.authorization! },
    })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-16le')
    const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(await response.arrayBuffer())
    const [header, first, ...rest] = text.split('\r\n')
    expect(header).toBe(`\ufeff${[...META, ...KEYS].map((name) => `"${name}"`).join('\t')}`)
    expect(first!.split('\t').slice(-11)).toEqual([
      '"Zoë, ""Z"""',
      '"0"',
      '""',
      '"0"',
      '"1"',
      '"1"',
      '""',
      '"2"',
      '"1"',
      '"true"',
      '"10"',
    ])
    expect(rest).toHaveLength(3)
  })

  test('writes a CSV file with comma_separated [spec 7.10]', async () => {
    expect((await get('?comma_separated=1')).text).toBe((await get()).text)
    const reply = await get('?comma_separated=1&tab_separated=1')
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0].field).toBe('comma_separated')
  })

  test('writes titles and labels in the given language [spec 7.10]', async () => {
    const { header, lines } = await cells('?language=fr&show_titles=1&include_labels=1')
    expect([header[0], lines[0]![1]]).toEqual(['Votre nom', 'Rouge'])
    expect((await cells('?language=fr-CA&show_titles=1')).header[0]).toBe('Votre nom')
    expect((await get('?language=xx&show_titles=1')).body.errors[0].field).toBe('language')
  })
})
