// Checks replays with the hall's verifier, beside the page, which stays usable meanwhile.
//
// The verifier is WebAssembly without imports: it gets bytes and gives bytes, and can reach nothing else.
const loading = WebAssembly.instantiateStreaming(fetch(new URL("./verify.wasm", import.meta.url)));

onmessage = async ({ data: { trusted, replay } }) => {
  try {
    const { room, check, answer, memory } = (await loading).instance.exports;
    postMessage({ checking: true });
    const began = performance.now();
    const question = new TextEncoder().encode(`${JSON.stringify(trusted)}\n`);
    const at = room(question.length + replay.byteLength);
    const place = new Uint8Array(memory.buffer, at);
    place.set(question);
    place.set(new Uint8Array(replay), question.length);
    const length = check();
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length));
    postMessage({ report: JSON.parse(text), millis: performance.now() - began });
  } catch (error) {
    postMessage({ report: { problem: `the verifier stopped: ${error.message}` }, millis: 0 });
  }
};
