import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { respond } from '../support/respondents.ts'
import { counts } from '../support/responses.ts'
import { makeWorkbook } from '../support/workbook.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, FULL_ANSWERS, signInOwner } from './survey-owner.ts'

const world = useWorld()

describe('the download of responses', () => {
  test('returns the same bytes as the API for every flag', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    await addTenResponses(world, id)
    await respond(world, id, { answers: { ...FULL_ANSWERS, name: '<b>=1+1</b>\nline', mail: 'x,"y"' } })
    const flags = [
      'include_labels',
      'score_based',
      'strip_html',
      'escape_newline',
      'formula_guard',
      'show_titles',
      'include_id',
      'include_key',
      'include_url',
      'include_response_link',
      'inverted',
    ].map((flag) => [`${flag}=1`, `${flag}=1`])
    const queries = [
      ['', ''],
      ...flags,
      ['format=bom', 'bom=1'],
      ['language=fr&include_labels=1&show_titles=1', 'language=fr&include_labels=1&show_titles=1'],
      ['include=bread&include=rank', 'include=bread,rank'],
      ['base=_completed%3D1%26bread%3D1', '_completed=1&bread=1'],
      ['base=nps%3E%3D4%26filter%3Dcompleted', 'nps>=4&filter=completed'],
    ]
    for (const [pageQuery, apiQuery] of queries) {
      const file = await browser.get(`${root}export/?${pageQuery}`)
      expect([pageQuery, file.status]).toEqual([pageQuery, 200])
      const api = await person.get(`/api/v3/surveys/${id}/csv/?${apiQuery}`)
      expect([pageQuery, file.text]).toEqual([pageQuery, api.text])
      expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="bread-and-breakfast.csv"')
    }
  })

  test('can be limited to some responses, and can be tab-separated in UTF-16', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    const selection = await browser.get(`${root}export/?numbers=3,%206`)
    const rows = parse(selection.text, { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row._id)).toEqual([ids[2], ids[5]].map(String))
    const reply = await fetch(`${world.base}${root}export/?format=tab_separated&include_labels=1`, {
      headers: { cookie: browser.cookieHeader },
    })
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-16le')
    const text = new TextDecoder('utf-16le').decode(await reply.arrayBuffer())
    expect(parse(text, { delimiter: '\t', columns: true })).toHaveLength(10)
  })

  test('is a workbook with titles and labels, a CSV file for statistics, or a custom file [spec 7.15]', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    await addTenResponses(world, id)
    const form = await browser.get(`${root}download/`)
    expect(form.text).toMatch(/name="purpose" value="workbook" checked/)
    const reply = await fetch(`${world.base}${root}export/?purpose=workbook&include=bread&bom=1&format=`, {
      headers: { cookie: browser.cookieHeader },
    })
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="bread-and-breakfast.xlsx"')
    const { sheets } = await readXlsx(new Uint8Array(await reply.arrayBuffer()))
    const api = await person.get(`/api/v3/surveys/${id}/csv/?include=bread&include_labels=1&show_titles=1`)
    const expected: string[][] = parse(api.text)
    const [header, ...rows] = sheets[0]!.rows
    expect([header!.slice(0, 2), ...rows.map((row) => row.slice(0, 2).map((cell) => cell ?? ''))]).toEqual(
      expected.map((row) => row.slice(-2)),
    )
    expect(header).toContain('Started (UTC)')
    expect(sheets[1]!.name).toBe('Codebook')
    const german = await fetch(`${world.base}${root}export/?purpose=workbook&include=bread`, {
      headers: { cookie: browser.cookieHeader, 'accept-language': 'de' },
    })
    const [responses, codebook] = (await readXlsx(new Uint8Array(await german.arrayBuffer()))).sheets
    expect([responses!.name, codebook!.name]).toEqual(['Antworten', 'Codebuch'])
    expect(responses!.rows[0]).toContain('Begonnen (UTC)')
    const status = responses!.rows[0]!.indexOf('Status')
    const words = new Set(responses!.rows.slice(1).map((row) => row[status]))
    expect([...words].sort()).toEqual(['Unvollständig', 'Vollständig'])
    expect(codebook!.rows.filter((row) => row[7] === '_completed').map((row) => [row[3], row[4]])).toEqual([
      ['0', 'Unvollständig'],
      ['1', 'Vollständig'],
      ['2', 'Ausgeschlossen'],
    ])
    const data = await browser.get(`${root}export/?purpose=data&include_labels=1&format=xlsx`)
    expect(data.text).toBe((await person.get(`/api/v3/surveys/${id}/csv/?for_statistics=1`)).text)
    const custom = await browser.get(`${root}export/?purpose=custom&format=xlsx&formula_guard=1&escape_newline=1`)
    expect(custom.headers.get('content-disposition')).toBe('attachment; filename="bread-and-breakfast.xlsx"')
  })

  test('returns a page with status 422 for invalid parameters', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    for (const query of ['numbers=one', 'include=colour', 'base=colour%3Dred', 'base=filter%3Dnothing']) {
      const reply = await browser.get(`${root}export/?${query}`)
      expect([query, reply.status, reply.headers.get('content-type')]).toEqual([query, 422, 'text/html; charset=utf-8'])
    }
    expect((await browser.get(`${root}download/?colour=red`)).to).toBe(`${root}?colour=red`)
    const form = await browser.get(`${root}download/?nps>4`)
    expect(form.text).toContain('5 responses')
    expect(form.text).toContain('name="base" value="nps%3E4"')
  })

  test.each([
    ['CSV', '', 'text/csv; charset=utf-8'],
    ['a workbook', '?purpose=workbook', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ])(
    'as %s releases its database connection when the client disconnects, and aborts the HTTP response when the query fails',
    async (_, format, type) => {
      const { browser, id, root } = await signInOwner(world)
      // The responses exceed the buffers of a connection, even after compression.
      const long = randomBytes(10_000).toString('base64')
      for (let n = 0; n < 600; n += 1) await respond(world, id, { answers: { name: long, mail: long } })
      const { pool } = world.application.services
      const runningCopies = async () =>
        (
          await pool.query(
            `select pid from pg_stat_activity where query ilike 'copy%' and datname = current_database()`,
          )
        ).rows as { pid: number }[]
      const waitForEnd = async () => {
        for (let attempt = 0; attempt < 200; attempt += 1) {
          if ((await runningCopies()).length === 0) return true
          await new Promise((resolve) => setTimeout(resolve, 25))
        }
        return false
      }
      const startDownload = () =>
        fetch(`${world.base}${root}export/${format}`, { headers: { cookie: browser.cookieHeader } })
      const head = await fetch(`${world.base}${root}export/${format}`, {
        method: 'HEAD',
        headers: { cookie: browser.cookieHeader },
      })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, type])
      expect(await waitForEnd()).toBe(true)
      const reader = (await startDownload()).body!.getReader()
      await reader.read()
      await reader.cancel()
      expect(await waitForEnd()).toBe(true)

      const interrupted = await startDownload()
      expect(interrupted.status).toBe(200)
      for (const { pid } of await runningCopies()) await pool.query('select pg_terminate_backend($1::integer)', [pid])
      await expect(interrupted.text()).rejects.toThrow()
      expect(await waitForEnd()).toBe(true)
    },
  )
})

describe('the import of responses', () => {
  test('stores all rows; if a row has an error, it stores none and shows the errors of each row', async () => {
    const { browser, id, root } = await signInOwner(world)
    await browser.get(`${root}import/`)
    const invalid = await browser.upload(`${root}import/`, 'name,bread,_completed\nBo,Rye,0\nCy,<b>Stone</b>,0\n')
    expect(invalid.status).toBe(422)
    expect(invalid.text).toContain('<strong>Row 3: bread</strong>')
    expect(invalid.text).not.toContain('<b>Stone')
    expect((await browser.upload(`${root}import/`, 'colour\nred\n')).status).toBe(422)
    expect((await browser.upload(`${root}import/`, '')).status).toBe(422)
    expect((await counts(world, id)).rows).toBe(0)
    const imported = await browser.upload(`${root}import/`, '\ufeffname,bread,_completed\nBo,Rye,0\nCy,Wheat,0\n')
    expect([imported.status, imported.to]).toEqual([303, root])
    expect(await counts(world, id)).toEqual({ rows: 2, feed: 2, collectors: 2 })
    expect((await browser.get(root)).text).toContain('>Wheat</td>')
  })

  test.each([
    ['semicolons', 'name;bread;_completed\nBo;Rye;0\n;;\nCyé;Wheat;0\n;;\n\n', 'utf8'],
    ['semicolons in Windows-1252', 'name;bread;_completed\nBo;Rye;0\n;;\nCyé;Wheat;0\n;;\n', 'latin1'],
    ['tabs in UTF-16', '\ufeffname\tbread\t_completed\nBo\tRye\t0\n\t\t\nCyé\tWheat\t0\n\t \t\n', 'utf16le'],
    ['a line sep=', 'sep=;\nname;bread;_completed\nBo;Rye;0\n;;\nCyé;Wheat;0\n;;\n', 'utf8'],
  ] as const)('reads %s, and says how many blank rows it has skipped', async (_, text, encoding) => {
    const { browser, id, root } = await signInOwner(world)
    await browser.get(`${root}import/`)
    await browser.upload(`${root}import/`, Buffer.from(text, encoding))
    const list = (await browser.get(root)).text
    expect(list).toContain('2 responses imported. 2 rows without any value skipped.')
    expect(list).toContain('>Cyé</td>')
    expect((await counts(world, id)).rows).toBe(2)
  })

  test('reads the first sheet of a workbook', async () => {
    const { browser, id, root } = await signInOwner(world)
    await browser.get(`${root}import/`)
    const file = await makeWorkbook({
      A: [['name', 'bread', '_completed'], ['Bo', 'Rye', '0'], [], ['Cy', 'Nosuch', '0']],
    })
    expect((await browser.upload(`${root}import/`, file)).text).toContain('<strong>Row 4: bread</strong>')
    const valid = await makeWorkbook({
      A: [['name', 'bread', '_completed'], ['Bo', 'Rye', '0'], [], ['Cy "é"', 'Wheat', '1']],
    })
    await browser.upload(`${root}import/`, valid)
    expect((await browser.get(root)).text).toContain('2 responses imported.')
    expect((await counts(world, id)).rows).toBe(2)
  })

  test('says that the collectors of another survey became the default collector', async () => {
    const { browser, root } = await signInOwner(world)
    await browser.get(`${root}import/`)
    await browser.upload(`${root}import/`, 'name,bread,_collector,_completed\nBo,Rye,99999,0\nCy,Rye,,0\n')
    expect((await browser.get(root)).text).toContain(
      '2 responses imported. 1 response stored with the default collector, because theirs belongs to another survey.',
    )
  })

  test('names a file that is neither CSV nor a workbook', async () => {
    const { browser, root } = await signInOwner(world)
    await browser.get(`${root}import/`)
    for (const file of [Buffer.from([0x89, 0x50, 0, 1]), Buffer.from([0xff, 0xfe, 0x41])])
      expect((await browser.upload(`${root}import/`, file)).text).toContain(
        'is neither a CSV file nor an Excel workbook',
      )
  })
})
