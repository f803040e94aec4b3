// Makes a part of the page equal to a newer one, node by node, so that focus, selection and loaded images stay.

/** Turns `node` into `fresh`, which belongs to another document. */
export const morph = (node, fresh) => {
  if (node.nodeType !== fresh.nodeType || node.nodeName !== fresh.nodeName) return node.replaceWith(document.importNode(fresh, true));
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  const own = [...node.childNodes], next = [...fresh.childNodes];
  next.forEach((child, index) => own[index] ? morph(own[index], child) : node.append(document.importNode(child, true)));
  own.slice(next.length).forEach(child => child.remove());
};

/** Does the same for the elements of these ids that both documents have. */
export const morphParts = (page, ids) => {
  for (const id of ids) {
    const [node, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (node && fresh) morph(node, fresh);
  }
};
