// Material's search takes a leading "-" for "without": people who search for --option mean the option.
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message && message.type === 2) {  // a query
    message = { ...message, data: message.data.replace(/(^|\s)--+(?=\w)/g, "$1") };
  }
  return post.call(this, message, ...rest);
};
