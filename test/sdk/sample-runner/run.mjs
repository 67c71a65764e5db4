// Runs the samples it is told to, one a line, and says of each what it printed or why it failed.
import { createInterface } from 'node:readline'
import { format } from 'node:util'

let printed = ''
console.log = (...words) => {
  printed += `${format(...words)}\n`
}
for await (const file of createInterface({ input: process.stdin })) {
  printed = ''
  let error
  try {
    await import(file)
  } catch (reason) {
    error = String(reason?.stack ?? reason)
  }
  process.stdout.write(`${JSON.stringify({ printed, error })}\n`)
}
