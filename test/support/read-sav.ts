/** A variable of a system file of SPSS, as its dictionary describes it. */
export interface SavVariable {
  name: string
  label: string
  /** 0 for a number, otherwise the length of the text in bytes. */
  width: number
  /** Number of the print format, its width and its decimals. */
  format: [type: number, width: number, decimals: number]
  measure: number
  /** Labels by value. */
  values: Record<string, string>
}

export interface SavContent {
  product: string
  title: string
  cases: number
  cases64: number
  encoding: string
  sets: { name: string; counted: string; label: string; variables: string[] }[]
  variables: SavVariable[]
  /** Cases by variable. A missing number is null, spaces at the end of texts are removed. */
  rows: Record<string, number | string | null>[]
}

interface Part {
  short: string
  width: number
  label: string
  format: [number, number, number]
  values: Record<string, string>
}

/** Reads a system file of SPSS, little-endian, with compression by codes (PSPP Developers Guide, "System File Format"). */
export function readSav(bytes: Buffer): SavContent {
  let at = 0
  const int = () => {
    at += 4
    return bytes.readInt32LE(at - 4)
  }
  const text = (length: number) => {
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  if (text(4) !== '$FL2') throw new Error('no system file')
  const product = text(60).trimEnd()
  const [layout, units, compression, weight, cases] = [int(), int(), int(), int(), int()]
  const bias = bytes.readDoubleLE(at)
  if (layout !== 2 || compression !== 1 || weight !== 0 || bias !== 100) throw new Error('another header')
  at += 8 + 17
  const title = text(64).trimEnd()
  at += 3
  const parts: Part[] = []
  const byPosition = new Map<number, Part>()
  const extensions = new Map<number, Buffer>()
  let position = 0
  for (let kind = int(); kind !== 999; kind = int()) {
    if (kind === 2) {
      position += 1
      const [width, hasLabel, missing, print] = [int(), int(), int(), int(), int()]
      const short = text(8).trimEnd()
      const length = hasLabel ? int() : 0
      const label = text(length)
      at += -length & 3
      if (missing !== 0) throw new Error('user-missing values')
      if (width! < 0) continue
      const format: Part['format'] = [print! >> 16, (print! >> 8) & 255, print! & 255]
      const part = { short, width: width!, label, format, values: {} }
      parts.push(part)
      byPosition.set(position, part)
    } else if (kind === 3) {
      const labels = Array.from({ length: int() }, () => {
        const key = bytes.subarray(at, at + 8)
        const length = bytes[at + 8]!
        at += 9
        const label = text(length)
        at += -(length + 1) & 7
        return { key, label }
      })
      if (int() !== 4) throw new Error('no variables of value labels')
      for (let count = int(); count > 0; count -= 1) {
        const part = byPosition.get(int())!
        for (const { key, label } of labels)
          part.values[part.width === 0 ? String(key.readDoubleLE()) : key.toString('utf8').trimEnd()] = label
      }
    } else if (kind === 7) {
      const [subtype, size, count] = [int(), int(), int()]
      extensions.set(subtype!, bytes.subarray(at, at + size! * count!))
      at += size! * count!
    } else throw new Error(`a record of kind ${kind} at ${at - 4}`)
  }
  at += 4
  if (position !== units) throw new Error(`${position} units instead of ${units}`)
  const pairs = (kind: number, separator: RegExp) =>
    new Map(
      (extensions.get(kind)?.toString('latin1') ?? '')
        .split(separator)
        .filter(Boolean)
        .map((pair) => pair.split('=') as [string, string]),
    )
  const names = pairs(13, /\t/)
  const longs = pairs(14, /\0\t/)
  const display = extensions.get(11)!
  const upper = new Set([...names.values()].map((name) => name.toUpperCase()))
  const shorts = new Set(parts.map(({ short }) => short))
  const read = readCases(bytes, at)
  const variables: (SavVariable & { segments: Part[] })[] = []
  for (let i = 0; i < parts.length; ) {
    const part = parts[i]!
    const long = Number(longs.get(part.short) ?? part.width)
    const segments = parts.slice(i, i + (long > 255 ? Math.ceil(long / 252) : 1))
    // The library of SPSS finds segments by the first five characters of the name of their variable.
    const prefix = names.get(part.short)!.slice(0, 5).toUpperCase()
    for (const { short } of segments.slice(1))
      if (!short.startsWith(prefix) || upper.has(short) || !shorts.delete(short))
        throw new Error(`a segment named ${short}`)
    const measure = display.readInt32LE(12 * i)
    variables.push({ ...part, name: names.get(part.short)!, width: long, measure, segments })
    i += segments.length
  }
  if (display.length !== 12 * parts.length) throw new Error('another number of display parameters')
  readLongLabels(extensions.get(21) ?? Buffer.alloc(0), variables)
  const rows: SavContent['rows'] = []
  for (let one = read.next(); one !== undefined; one = read.next()) {
    const row: SavContent['rows'][number] = {}
    let unit: Buffer | null | undefined = one
    for (const { name, width, segments } of variables) {
      const pieces: Buffer[] = []
      for (const segment of segments) {
        const all: Buffer[] = []
        for (let left = Math.max(1, Math.ceil(segment.width / 8)); left > 0; left -= 1) {
          unit ??= read.next()
          if (unit === undefined) throw new Error('the file ends within a case')
          all.push(unit!)
          unit = undefined
        }
        pieces.push(width === 0 ? all[0]! : Buffer.concat(all).subarray(0, segment.width))
      }
      const value = Buffer.concat(pieces)
      if (width > 0) row[name] = value.subarray(0, width).toString('utf8').trimEnd()
      else row[name] = value.readDoubleLE() === -Number.MAX_VALUE ? null : value.readDoubleLE()
    }
    rows.push(row)
  }
  return {
    product,
    title,
    cases: cases!,
    cases64: Number(extensions.get(16)!.readBigInt64LE(8)),
    encoding: extensions.get(20)!.toString('latin1'),
    sets: setsOf(extensions.get(7) ?? Buffer.alloc(0), names),
    variables: variables.map(({ name, label, width, format, measure, values }) => ({
      name,
      label,
      width,
      format,
      measure,
      values,
    })),
    rows,
  }
}

/** Reads units of eight bytes; undefined at the end. */
function readCases(bytes: Buffer, start: number): { next(): Buffer | undefined } {
  let at = start
  let codes: Buffer = Buffer.alloc(0)
  return {
    next() {
      for (;;) {
        if (codes.length === 0) {
          codes = bytes.subarray(at, at + 8)
          at += 8
          if (codes.length < 8) throw new Error('the file has no end')
        }
        const code = codes[0]!
        codes = codes.subarray(1)
        if (code === 0) continue
        if (code === 252) {
          if (at !== bytes.length) throw new Error('bytes after the end')
          return undefined
        }
        const unit = Buffer.alloc(8, ' ')
        if (code === 253) {
          at += 8
          return bytes.subarray(at - 8, at)
        }
        if (code === 255) unit.writeDoubleLE(-Number.MAX_VALUE)
        else if (code < 252) unit.writeDoubleLE(code - 100)
        return unit
      }
    },
  }
}

function setsOf(record: Buffer, names: ReadonlyMap<string, string>): SavContent['sets'] {
  const sets: SavContent['sets'] = []
  for (let at = 0; at < record.length; ) {
    const end = record.indexOf('=', at)
    const name = record.toString('utf8', at, end)
    const [head, counted = '', length = ''] = /^D\d+ (\S+) (\d+) /.exec(record.toString('latin1', end + 1))!
    const label = end + 1 + head!.length
    const after = label + Number(length)
    const line = record.indexOf('\n', after)
    const variables = record.toString('latin1', after + 1, line).split(' ')
    sets.push({
      name,
      counted,
      label: record.toString('utf8', label, after),
      variables: variables.map((one) => names.get(one)!),
    })
    at = line + 1
  }
  return sets
}

function readLongLabels(record: Buffer, variables: readonly SavVariable[]): void {
  let at = 0
  const counted = () => {
    const length = record.readInt32LE(at)
    at += 4 + length
    return record.toString('utf8', at - length, at)
  }
  while (at < record.length) {
    const name = counted()
    const variable = variables.find((one) => one.name === name)!
    const [width, count] = [record.readInt32LE(at), record.readInt32LE(at + 4)]
    at += 8
    if (width !== variable.width) throw new Error(`another width of ${name}`)
    for (let left = count; left > 0; left -= 1) variable.values[counted().trimEnd()] = counted()
  }
}
