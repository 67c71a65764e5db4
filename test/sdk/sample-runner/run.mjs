// Runs the samples whose paths are on standard input, and prints the output or the error of each as JSON.
import { createInterface } from 'node:readline'
import { format } from 'node:util'

let output = ''
console.log = (...args) => {
  output += `${format(...args)}\n`
}
for await (const file of createInterface({ input: process.stdin })) {
  output = ''
  let error
  try {
    await import(file)
  } catch (reason) {
    error = String(reason?.stack ?? reason)
  }
  process.stdout.write(`${JSON.stringify({ output, error })}\n`)
}
