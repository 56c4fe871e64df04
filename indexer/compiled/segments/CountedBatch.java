package boilersweep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.util.SmallFloat;

/**
 * Contents of documents whose terms are counted already, each to be added to any number of indexes.
 *
 * <p>A content is what some rules keep of a document. Terms are sorted by their UTF-8 bytes. All
 * numbers come as little-endian ints.
 */
public final class CountedBatch {
  /** Byte strings one after the other: number i ends before ends[i]. */
  static final class Strings {
    final byte[] bytes;
    private final int[] ends;

    Strings(byte[] bytes, byte[] ends) {
      this.bytes = bytes;
      this.ends = ints(ends);
    }

    int size() {
      return ends.length;
    }

    int start(int number) {
      return number == 0 ? 0 : ends[number - 1];
    }

    int end(int number) {
      return ends[number];
    }
  }

  final Strings terms;
  final Strings docids;
  /** Numbers of documents by their docids' bytes. */
  final int[] sortedDocuments;

  private final int[] documents;
  private final byte[] norms;
  private final int[] ends;
  private final int[] numbers;
  private final int[] counts;

  /**
   * @param documents by content, the number of its document
   * @param lengths by content, its tokens with repeats
   * @param ends by content, where its terms end in numbers and counts
   */
  public CountedBatch(
      byte[] terms,
      byte[] termEnds,
      byte[] docids,
      byte[] docidEnds,
      byte[] sortedDocuments,
      byte[] documents,
      byte[] lengths,
      byte[] ends,
      byte[] numbers,
      byte[] counts) {
    this.terms = new Strings(terms, termEnds);
    this.docids = new Strings(docids, docidEnds);
    this.sortedDocuments = ints(sortedDocuments);
    this.documents = ints(documents);
    this.ends = ints(ends);
    this.numbers = ints(numbers);
    this.counts = ints(counts);
    int[] tokens = ints(lengths);
    norms = new byte[tokens.length];
    for (int content = 0; content < tokens.length; content++) {
      norms[content] = SmallFloat.intToByte4(tokens[content]);
    }
  }

  /** Add some contents, each of another document, to an index as documents in this order. */
  public void add(IndexWriter writer, byte[] contents) throws IOException {
    writer.addIndexes(new CountedSegment(this, ints(contents)));
  }

  int document(int content) {
    return documents[content];
  }

  byte norm(int content) {
    return norms[content];
  }

  /** Postings of some contents, document i of them being contents[i]. */
  Postings invert(int[] contents) {
    int[] starts = new int[terms.size() + 1];
    int total = 0;
    for (int content : contents) {
      int end = ends[content];
      for (int place = start(content); place < end; place++) {
        starts[numbers[place] + 1]++;
      }
      total += end - start(content);
    }
    for (int term = 1; term < starts.length; term++) {
      starts[term] += starts[term - 1];
    }
    int[] documentsOf = new int[total];
    int[] frequencies = new int[total];
    int[] next = starts.clone();
    for (int document = 0; document < contents.length; document++) {
      int end = ends[contents[document]];
      for (int place = start(contents[document]); place < end; place++) {
        int to = next[numbers[place]]++;
        documentsOf[to] = document;
        frequencies[to] = counts[place];
      }
    }
    return new Postings(terms, null, starts, documentsOf, frequencies);
  }

  private int start(int content) {
    return content == 0 ? 0 : ends[content - 1];
  }

  static int[] ints(byte[] bytes) {
    int[] ints = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(ints);
    return ints;
  }
}
